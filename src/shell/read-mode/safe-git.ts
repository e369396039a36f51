import type {Word} from '../analysis.ts';
import {homeTilde} from './git-drivers.ts';
import {scanStrictly, type SafeRow, type StrictScan} from './safe-options.ts';

/** Global options under which git still only reads. Never `-c`, `--exec-path=`, `--config-env`, `-p`. */
const globals: SafeRow = {
  flags:
    'P --no-pager --no-optional-locks --no-replace-objects --no-lazy-fetch --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --bare --no-advice',
  values: 'C --git-dir --work-tree',
};

interface GitRow extends Omit<SafeRow, 'check'> {
  readonly check?: (scan: StrictScan, words: readonly Word[]) => string | undefined;
}

/**
 * How git shows a commit or a diff. Excluded: options that write (`--output`) or run programs (`--ext-diff`, `--textconv`,
 * `-O`, and `--submodule=diff`, which runs git in every folder that a commit lists as a submodule).
 */
const diffFlags =
  'p u s z a b w R W --patch --no-patch --raw --patch-with-raw --patch-with-stat --indent-heuristic --no-indent-heuristic --minimal --patience --histogram --stat --numstat --shortstat --dirstat --cumulative --summary --name-only --name-status --color --no-color --color-moved --no-color-moved --color-words --word-diff --no-renames --rename-empty --no-rename-empty --check --full-index --binary --abbrev --break-rewrites --find-renames --find-copies --find-copies-harder --irreversible-delete --pickaxe-all --pickaxe-regex --text --ignore-cr-at-eol --ignore-space-at-eol --ignore-space-change --ignore-all-space --ignore-blank-lines --function-context --exit-code --quiet --no-ext-diff --no-textconv --ignore-submodules --no-prefix --default-prefix --ita-invisible-in-index --compact-summary --relative --no-relative --cc c m --combined-all-paths --unified';
const diffValues =
  'l S G --color-moved-ws --word-diff-regex --diff-algorithm --anchored --diff-filter --find-object --src-prefix --dst-prefix --line-prefix --inter-hunk-context --skip-to --rotate-to --ws-error-highlight --output-indicator-new --output-indicator-old --output-indicator-context --stat-width --stat-count --stat-name-width';
const logFlags =
  'g i E F q --all --branches --tags --remotes --oneline --graph --decorate --no-decorate --follow --full-diff --log-size --merges --no-merges --first-parent --not --reverse --topo-order --date-order --author-date-order --walk-reflogs --merge --boundary --simplify-by-decoration --simplify-merges --full-history --dense --sparse --ancestry-path --show-pulls --cherry --cherry-pick --cherry-mark --left-only --right-only --left-right --children --parents --source --use-mailmap --mailmap --no-mailmap --no-use-mailmap --abbrev-commit --no-abbrev-commit --relative-date --notes --no-notes --no-walk --no-graph --invert-grep --all-match --regexp-ignore-case --extended-regexp --basic-regexp --fixed-strings --perl-regexp --format --pretty --expand-tabs --no-expand-tabs --ignore-missing --no-diff-merges --dd --clear-decorations --show-linear-break --count --timestamp --header --single-worktree --reflog';
const logValues =
  'n L --glob --decorate-refs --date --encoding --diff-merges --max-count --skip --since --after --until --before --author --committer --grep --grep-reflog --min-parents --max-parents --exclude --decorate-refs-exclude';

// Git itself reads these letters from a word one by one and stops in the middle. So a value may follow only the first
// letter.
const log: GitRow = {
  numbers: true,
  valueLetters: 'first',
  optional: 'U M B C',
  flags: `${diffFlags} ${logFlags} D`,
  values: `${diffValues} ${logValues}`,
};
const diff: GitRow = {
  numbers: true,
  valueLetters: 'first',
  optional: 'U M B C',
  flags: `${diffFlags} D --cached --staged --merge-base --base --ours --theirs 0 1 2 3`,
  values: diffValues,
};

/** Reading subcommands with exact lists of options. Where a list is not enough, the row has a check. */
export const gitRows: Readonly<Record<string, GitRow>> = {
  status: {
    flags:
      's b v z u --short --branch --show-stash --porcelain --long --verbose --untracked-files --ignore-submodules --ignored --column --no-column --ahead-behind --no-ahead-behind --renames --no-renames --find-renames -uno -unormal -uall',
  },
  log,
  show: log,
  diff,
  'diff-tree': {...diff, flags: `${diffFlags} D --merge-base r t v --root --stdin --no-commit-id --always`},
  'diff-index': {...diff, flags: `${diffFlags} D --cached --merge-base m`},
  'diff-files': {...diff, flags: `${diffFlags} D --base --ours --theirs 0 1 2 3`},
  blame: {
    flags:
      'b l t f n s e w c p --root --show-stats --show-name --show-number --show-email --porcelain --line-porcelain --incremental --score-debug --color-lines --color-by-age --minimal --progress --no-progress --first-parent --abbrev',
    optional: 'M C',
    valueLetters: 'first',
    values: 'L S --since --date --ignore-rev --ignore-revs-file',
  },
  branch: {
    flags:
      'a r v vv --all --remotes --verbose --list --show-current --color --no-color --column --no-column --no-abbrev --abbrev --ignore-case i',
    values: '--sort --format --points-at --contains --no-contains --merged --no-merged',
    check: checkBranch,
  },
  tag: {
    optional: 'n',
    flags: 'l --list --color --column --no-column --ignore-case i',
    values: '--sort --format --points-at --contains --no-contains --merged --no-merged',
    check: checkTag,
  },
  'ls-files': {
    flags:
      'c d m o i s u k z t v f --cached --deleted --modified --others --ignored --stage --directory --no-empty-directory --unmerged --killed --exclude-standard --error-unmatch --full-name --recurse-submodules --abbrev --debug --deduplicate --eol --sparse',
    values: 'x X --exclude --exclude-from --exclude-per-directory --with-tree --format',
  },
  'ls-tree': {
    flags: 'd r t l z --long --name-only --name-status --object-only --full-name --full-tree --abbrev',
    values: '--format',
  },
  'rev-parse': {
    flags:
      '--verify -q q --quiet --short --symbolic --symbolic-full-name --abbrev-ref --show-toplevel --show-prefix --show-cdup --show-superproject-working-tree --git-dir --absolute-git-dir --git-common-dir --is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-shallow-repository --all --branches --tags --remotes --revs-only --no-revs --flags --no-flags --not --show-object-format --shared-index-path --local-env-vars --path-format --since --until --disambiguate',
    values: '--git-path --default --prefix',
  },
  'rev-list': {
    ...log,
    flags: `${log.flags} --objects --objects-edge --no-object-names --disk-usage --bisect --quiet --use-bitmap-index --unpacked`,
  },
  describe: {
    flags: '--all --tags --contains --abbrev --exact-match --debug --long --always --first-parent',
    values: '--candidates --match --exclude',
  },
  remote: {operands: 2, flags: 'v --verbose', check: checkRemote},
  config: {
    flags:
      'l z --list --get --get-all --get-regexp --get-urlmatch --get-color --get-colorbool --global --system --local --worktree --bool --int --bool-or-int --path --expiry-date --null --name-only --show-origin --show-scope --includes --no-includes',
    values: '--type --default',
    check: checkConfig,
  },
  shortlog: {
    flags: 's n e c --summary --numbered --email --committer --no-merges --all --branches --tags',
    optional: 'w',
    valueLetters: 'first',
    values: '--group --since --until --author --format',
  },
  'cat-file': {
    flags:
      't s e p --allow-unknown-type --batch-check --batch-all-objects --buffer --follow-symlinks --unordered --batch -z z Z',
  },
  'for-each-ref': {
    flags: '--color --omit-empty --ignore-case --stdin --include-root-refs',
    values: '--count --sort --format --points-at --merged --no-merged --contains --no-contains --exclude',
  },
  'show-ref': {
    flags: 'd q s --head --heads --tags --branches --dereference --hash --abbrev --verify --quiet --exists',
  },
  'merge-base': {flags: 'a --all --octopus --independent --is-ancestor --fork-point'},
  'name-rev': {flags: '--tags --all --name-only --always --no-undefined', values: '--refs --exclude'},
  'check-ignore': {flags: 'q v z n --quiet --verbose --stdin --non-matching --no-index'},
  'check-attr': {flags: 'a z --all --cached --stdin', values: '--source'},
  'count-objects': {operands: 0, flags: 'v H --verbose --human-readable'},
  reflog: {...log, check: checkReflog},
  stash: {...log, check: checkStash},
  worktree: {
    flags: 'v z --porcelain --verbose',
    operands: 1,
    check: (_, [first]) => (first?.text === 'list' ? undefined : 'git worktree changes work trees'),
  },
  grep: {
    leadingTexts: 1,
    numbers: true,
    flags:
      'a i I w v h H E G F P n l L z o c p q W r --cached --untracked --exclude-standard --no-exclude-standard --recurse-submodules --text --ignore-case --word-regexp --invert-match --full-name --extended-regexp --basic-regexp --fixed-strings --perl-regexp --line-number --column --files-with-matches --name-only --files-without-match --null --only-matching --count --color --no-color --break --heading --show-function --function-context --and --or --not --all-match --quiet --recursive --no-recursive',
    values: 'e f A B C m --max-depth --max-count --after-context --before-context --context --threads',
  },
  fsck: {
    flags:
      'v --tags --root --unreachable --cache --no-reflogs --full --strict --verbose --dangling --no-dangling --progress --no-progress --connectivity-only --name-objects',
  },
  submodule: {flags: '--cached --recursive', check: checkSubmodule},
  version: {operands: 0},
  var: {texts: true, operands: 1, flags: 'l'},
};

/** `git …`: checks the global options, the subcommand, which must be literal, and the row of that subcommand. */
export function checkGit(words: readonly Word[]): string | undefined {
  const at = subcommandAt(words);
  const before = scanStrictly('git', words.slice(0, at), globals);
  // `git --help log` opens a manual page with the program that the repository's config names (man.viewer).
  if (words.length === 1 && /^--(version|help)$/.test(words[0]!.text)) return undefined;
  if ('why' in before) return before.why;
  // The config of an unknown folder may name programs.
  if (words.slice(0, at).some((word) => !word.literal && !homeTilde(word)))
    return 'git in a folder that is known only when it runs';
  if (words.slice(0, at).some(({text}) => text === '--')) return 'git with "--" before the subcommand';
  const name = words[at];
  if (!name) return undefined;
  if (!name.literal || name.raw !== name.text) return 'the git subcommand is not written plainly';
  const row = Object.hasOwn(gitRows, name.text) ? gitRows[name.text] : undefined;
  if (!row) return `git ${name.text} is not among the reading subcommands`;
  const args = words.slice(at + 1);
  const {check, ...options} = row;
  const scan = scanStrictly(`git ${name.text}`, args, options);
  if ('why' in scan) return scan.why;
  const special = check?.(scan, args);
  if (special) return special;
  // `git config core.*` may become two words, and the second one is a value.
  const loose = check || row.operands !== undefined ? args.find(({literal}) => !literal) : undefined;
  if (loose) return `git ${name.text} with a word that is known only when it runs`;
  const most = row.operands;
  return most !== undefined && scan.operands.length > most
    ? `git ${name.text} with operands may change something`
    : undefined;
}

const globalValues = new Set([
  '-C',
  '--git-dir',
  '--work-tree',
  '-c',
  '--exec-path',
  '--namespace',
  '--config-env',
]);

function subcommandAt(words: readonly Word[]): number {
  let at = 0;
  while (at < words.length && words[at]!.text.startsWith('-'))
    at += globalValues.has(words[at]!.text) ? 2 : 1;
  return Math.min(at, words.length);
}

// The checks below get the options and operands as git reads them: in `git branch --format --list x`, `--list` is neither.

/**
 * In a command that lists branches, operands are patterns; otherwise they create a branch. Not -l: before git 2.19 it
 * created one too.
 */
function checkBranch({options, operands}: StrictScan): string | undefined {
  const listing = options.some((option) => /^--(list|(no-)?(contains|merged))$/.test(option));
  return listing || operands.length === 0 ? undefined : 'git branch with a name makes a branch';
}

function checkTag({options, operands}: StrictScan): string | undefined {
  const listing = options.some((option) =>
    /^(-l|--list|-n\d*|--(no-)?(contains|merged)|--points-at)$/.test(option),
  );
  return listing || operands.length === 0 ? undefined : 'git tag with a name makes a tag';
}

function checkRemote({operands: [first]}: StrictScan): string | undefined {
  return !first || first.text === 'get-url'
    ? undefined
    : `git remote ${first.text} may change something or use the network`;
}

/**
 * Options end at the first operand: `git config user.name --get` sets the name to "--get". The subcommands of git 2.46 have
 * their own options.
 */
function checkConfig({options, operands}: StrictScan, words: readonly Word[]): string | undefined {
  const [first] = operands;
  const late =
    first && !/^(list|get)$/.test(first.text)
      ? words
          .slice(words.indexOf(first) + 1)
          .find((word) => word.text.startsWith('-') && !operands.includes(word))
      : undefined;
  if (late) return `git config with ${late.text} after the name sets it: put the option before the name`;
  const reads = options.some((option) =>
    /^(-l|--list|--get|--get-all|--get-regexp|--get-urlmatch|--get-color|--get-colorbool)$/.test(option),
  );
  if (reads || /^(list|get)$/.test(first?.text ?? '')) return undefined;
  return operands.length === 1 ? undefined : 'git config with a value sets it';
}

/** Every other subcommand changes the work tree or the config, or runs a command. */
function checkSubmodule({operands: [first]}: StrictScan): string | undefined {
  return first?.text === 'status' ? undefined : 'git submodule changes the work tree: with status it reads';
}

function checkReflog({operands}: StrictScan): string | undefined {
  const changes = operands.find(({text}) => /^(expire|delete|drop|write)$/.test(text));
  return changes && `git reflog ${changes.text} changes the reflog`;
}

/**
 * `git stash show` sorts its words before it reads them: every word with a dash is an option, but option values are left
 * behind. So an option takes its value from a later word, even from `--`, and the words after that are options again.
 */
function checkStash(_: StrictScan, words: readonly Word[]): string | undefined {
  const [first, ...others] = words;
  if (first?.text === 'list') return undefined;
  if (first?.text !== 'show') return 'git stash changes the work tree';
  const scan = scanStrictly('git stash show', others, stashShow);
  if ('why' in scan) return scan.why;
  return others.some(({text}) => text === '--') ? 'git stash show with "--"' : undefined;
}

const stashShow: SafeRow = {flags: diffFlags, optional: 'U M B C'};
