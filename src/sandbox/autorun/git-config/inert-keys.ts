/**
 * The keys of a repository's `.git/config` that a sandboxed command may change. No value of them makes git, or a
 * program that git starts, execute a program, read another config or work on files elsewhere. Every other key is not
 * inert: `core.hooksPath`, `core.fsmonitor`, `core.editor`, `core.worktree`, `alias.*`, `filter.*`, `diff.*.textconv`,
 * `merge.*.driver`, `credential.*`, `gpg.*`, `url.*.insteadOf`, `http.*`, `include.path`, `includeIf.*`, `protocol.*`
 * and every key of future versions. Pure.
 */
export function isInert(key: string, value: string | undefined): boolean {
  const first = key.indexOf('.');
  const last = key.lastIndexOf('.');
  if (first === -1) return false;
  const section = key.slice(0, first);
  const pattern = first === last ? key : `${section}.*${key.slice(last)}`;
  const values = inertKeys.get(pattern);
  // A name without `=` means true.
  return values !== undefined && isAllowed[values](value ?? 'true');
}

type Values = keyof typeof isAllowed;

const isAllowed = {
  any: () => true,
  flag: (value: string) => /^(?:true|false|yes|no|on|off|[01]|)$/i.test(value),
  number: (value: string) => /^-?\d{1,12}[kmg]?$/i.test(value),
  /** One of git's own words. */
  word: (value: string) => /^[a-z0-9]{0,20}(?:-[a-z0-9]{1,20}){0,3}$/i.test(value),
  /**
   * Where to fetch from or push to, or the name of a remote. `ext::command` and every other `helper::` or unknown
   * scheme runs a program. A value that begins with a dash is an option to a program.
   */
  url: (value: string) =>
    !/^[a-z0-9+.-]*::|^-|:\/\/-|[^\x20-\x7e\x80-\xff]/i.test(value) &&
    (!value.includes('://') || /^(?:https?|ssh|git|git\+ssh|ssh\+git|file|ftps?):\/\//.test(value)),
  /** `-s` and similar options are refused: only the two options for tags are allowed. */
  tags: (value: string) => value === '--tags' || value === '--no-tags',
  /** `!command` runs a program. */
  update: (value: string) => /^(?:checkout|rebase|merge|none)$/.test(value),
} as const;

/**
 * Each group with the reason why a command may change it. `remote.*.uploadpack`, `.receivepack`, `.vcs`, `.proxy` are
 * left out on purpose.
 */
const groups: readonly {readonly why: string; readonly keys: Readonly<Record<string, Values>>}[] = [
  {
    why: '`git remote add`, `set-url`, `rename`, `clone`: an address or a refspec; a push to it is a command of its own',
    keys: {
      'remote.*.url': 'url',
      'remote.*.pushurl': 'url',
      'remote.*.fetch': 'any',
      'remote.*.push': 'any',
      'remote.*.tagopt': 'tags',
      'remote.*.prune': 'flag',
      'remote.*.prunetags': 'flag',
      'remote.*.mirror': 'flag',
      'remote.*.skipdefaultupdate': 'flag',
      'remote.*.skipfetchall': 'flag',
      'remote.*.promisor': 'flag',
      'remote.*.partialclonefilter': 'any',
      'remote.*.followremotehead': 'word',
      'remote.*.gh-resolved': 'any',
      'remote.pushdefault': 'url',
    },
  },
  {
    why: '`git checkout --track`, `branch -u`, `push -u`: which branch of which remote. `mergeoptions` can name a program',
    keys: {
      'branch.*.remote': 'url',
      'branch.*.pushremote': 'url',
      'branch.*.merge': 'any',
      'branch.*.rebase': 'word',
      'branch.*.description': 'any',
      'branch.autosetupmerge': 'word',
      'branch.autosetuprebase': 'word',
      'branch.sort': 'any',
    },
  },
  {
    why: 'names that are written into commits; `signingkey` is an argument to a program that is named elsewhere',
    keys: {
      'user.name': 'any',
      'user.email': 'any',
      'user.signingkey': 'any',
      'user.useconfigonly': 'flag',
      'author.name': 'any',
      'author.email': 'any',
      'committer.name': 'any',
      'committer.email': 'any',
    },
  },
  {
    why: 'what `git init` and `git clone` write: properties of the file system and of the repository format',
    keys: {
      'core.bare': 'flag',
      'core.filemode': 'flag',
      'core.symlinks': 'flag',
      'core.ignorecase': 'flag',
      'core.precomposeunicode': 'flag',
      'core.repositoryformatversion': 'number',
      'core.logallrefupdates': 'word',
      'core.autocrlf': 'word',
      'core.eol': 'word',
      'core.safecrlf': 'word',
      'core.quotepath': 'flag',
      'core.abbrev': 'word',
      'core.sparsecheckout': 'flag',
      'core.sparsecheckoutcone': 'flag',
      'core.untrackedcache': 'word',
      'core.splitindex': 'flag',
      'core.preloadindex': 'flag',
      'core.commitgraph': 'flag',
      'core.multipackindex': 'flag',
      'core.compression': 'number',
      'core.bigfilethreshold': 'number',
      'index.sparse': 'flag',
      'index.version': 'number',
      'extensions.objectformat': 'word',
      'extensions.compatobjectformat': 'word',
      'extensions.refstorage': 'word',
      'extensions.partialclone': 'any',
      'extensions.preciousobjects': 'flag',
      'extensions.relativeworktrees': 'flag',
      // config.worktree, the file that this key makes git read, is protected as a whole.
      'extensions.worktreeconfig': 'flag',
      'init.defaultbranch': 'any',
    },
  },
  {
    why: '`git submodule add`, `init`, `sync`',
    keys: {
      'submodule.*.url': 'url',
      'submodule.*.active': 'flag',
      'submodule.*.branch': 'any',
      'submodule.*.update': 'update',
      'submodule.*.ignore': 'word',
      'submodule.*.fetchrecursesubmodules': 'word',
      'submodule.active': 'any',
      'submodule.recurse': 'flag',
      'submodule.fetchjobs': 'number',
    },
  },
  {
    why: 'how everyday commands behave, in words and numbers that git itself reads',
    keys: {
      'pull.rebase': 'word',
      'pull.ff': 'word',
      'push.default': 'word',
      'push.autosetupremote': 'flag',
      'push.followtags': 'flag',
      'fetch.prune': 'flag',
      'fetch.prunetags': 'flag',
      'fetch.parallel': 'number',
      'merge.conflictstyle': 'word',
      'merge.ff': 'word',
      'rebase.autosquash': 'flag',
      'rebase.autostash': 'flag',
      'rebase.updaterefs': 'flag',
      'rerere.enabled': 'flag',
      'rerere.autoupdate': 'flag',
      'checkout.defaultremote': 'any',
      'checkout.guess': 'flag',
      'status.showuntrackedfiles': 'word',
      'status.submodulesummary': 'word',
      'diff.renames': 'word',
      'diff.algorithm': 'word',
      'diff.colormoved': 'word',
      'log.date': 'any',
      'color.ui': 'word',
      'gc.auto': 'number',
      'gc.autodetach': 'flag',
      'maintenance.auto': 'flag',
    },
  },
  {
    why: 'git lfs: what its server answered; `lfs.customtransfer.*.path` runs programs',
    keys: {'lfs.repositoryformatversion': 'number', 'lfs.*.access': 'word', 'lfs.*.locksverify': 'flag'},
  },
];

const inertKeys = new Map<string, Values>(groups.flatMap(({keys}) => Object.entries(keys)));
