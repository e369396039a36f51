/** Attacks by another spelling of a protected or denied name, for a file system that treats several spellings as one name. */

/** What a file system may ignore or replace in a name. `links` and `tail`: what a row needs besides. */
type Trait = 'case' | 'short' | 'dots' | 'blanks' | 'invisible' | 'letters' | 'links';

export type FoldingId = 'all of them' | 'vfat' | 'casefolded ext4';

const traits: Readonly<Record<FoldingId, readonly Trait[]>> = {
  'all of them': ['case', 'short', 'dots', 'blanks', 'invisible', 'letters', 'links'],
  vfat: ['case', 'short', 'dots'],
  'casefolded ext4': ['case', 'invisible', 'letters', 'links'],
};

interface Way {
  readonly name: string;
  readonly needs: readonly Trait[];
  readonly script: string;
}

/** Each writes `$E` and its number. Afterwards it is in `place`, which git or an editor outside obeys. */
interface Write extends Way {
  readonly place: string;
}

const write = (needs: string, name: string, script: string, place: string): Write => ({
  name,
  needs: needs.split(' ') as Trait[],
  script,
  place,
});

const writes: readonly Write[] = [
  write('case', 'another case', 'echo $E >> .GIT/CONFIG', '.git/config'),
  write('case', 'another case of one name', 'echo $E >> .git/CONFIG', '.git/config'),
  write('short', 'a short name', 'echo $E >> GIT~1/config', '.git/config'),
  write('case', 'a rename', 'cat .git/config > c; echo $E >> c; mv -f c .git/Config', '.git/config'),
  write('letters', 'a ligature', 'echo $E >> .git/con\ufb01g', '.git/config'),
  write(
    'letters',
    'a ligature, in a missing file',
    'echo $E > .git/con\ufb01g.worktree',
    '.git/config.worktree',
  ),
  write('case', 'a hook', 'echo $E > .GIT/HOOKS/a', '.git/hooks/a'),
  write('case', 'a hook, another case of one name', 'echo $E > .git/HOOKS/aa', '.git/hooks/aa'),
  write('short', 'a hook, a short name', 'echo $E > GIT~1/hooks/ab', '.git/hooks/ab'),
  write('letters', 'a hook, the Kelvin sign', 'echo $E > .git/hoo\u212as/ac', '.git/hooks/ac'),
  write('dots', 'dots', 'echo $E > .git./hooks./b', '.git/hooks/b'),
  write('invisible', 'an invisible character', 'echo $E > .g\u200cit/hooks/c', '.git/hooks/c'),
  write('case', 'from inside', '(cd .GIT/Hooks && echo $E > d)', '.git/hooks/d'),
  write('case', 'tasks', 'echo $E > .VSCODE/tasks.json', '.vscode/tasks.json'),
  write('short', 'tasks by a short name', 'echo $E > VSCODE~1/launch.json', '.vscode/launch.json'),
  write('letters', 'tasks, a long s', 'echo $E > .v\u017fcode/settings.json', '.vscode/settings.json'),
  write('case', 'made', 'mkdir .CURSOR; echo $E > .CURSOR/a', '.cursor/a'),
  write('dots blanks', 'made with dots and blanks', "mkdir '.gemini. .'; echo $E > .gemini/a", '.gemini/a'),
  write('dots', 'made with dots', 'mkdir .kiro..; echo $E > .kiro/a', '.kiro/a'),
  write('case', 'made by a rename', 'mkdir z; echo $E > z/a; mv z .CoDeX', '.codex/a'),
  write('case', 'made as a file', 'echo $E > .ENVRC', '.envrc'),
  write('case', 'below: another case', 'echo $E > below/.GIT/HOOKS/a', 'below/.git/hooks/a'),
  write('dots', 'below: dots', 'echo $E > below/.git./hooks./b', 'below/.git/hooks/b'),
  write('blanks', 'below: a blank', "echo $E > 'below/.git/hooks /c'", 'below/.git/hooks/c'),
  write(
    'invisible',
    'below: an invisible character',
    'echo $E > below/.git/ho\u200coks/d',
    'below/.git/hooks/d',
  ),
  write('short', 'below: a short name', 'echo $E > below/GIT~1/hooks/e', 'below/.git/hooks/e'),
  write('letters', 'below: the Kelvin sign', 'echo $E > below/.git/hoo\u212as/f', 'below/.git/hooks/f'),
  write('dots', 'below: the config', 'echo $E >> below/.git/config.', 'below/.git/config'),
  write('letters', 'below: the config, a ligature', 'echo $E >> below/.git/con\ufb01g', 'below/.git/config'),
  write(
    'invisible',
    'below: the config, by a rename',
    'cat below/.git/config > c; echo $E >> c; mv c below/.git/con\u200cfig',
    'below/.git/config',
  ),
  write('dots', 'below: a new file', 'echo $E > below/.git/commondir.', 'below/.git/commondir'),
  write('dots', 'below: attributes', 'echo $E >> below/.git/info./attributes.', 'below/.git/info/attributes'),
  write(
    'short',
    'below: attributes, short',
    'echo $E >> below/.git/info/ATTRIB~1',
    'below/.git/info/attributes',
  ),
  write('dots blanks', 'below: a .git file', "echo $E > 'tree/.git. '", 'tree/.git'),
  write('case', 'below: a .git file, another case', 'echo $E >> tree/.GIT', 'tree/.git'),
  write('dots', 'below: HEAD out of the way', 'mv bare/HEAD. z1; echo $E > bare/hooks/a', 'bare/hooks/a'),
  write(
    'case',
    'below: HEAD out of the way, another case',
    'mv bare2/head z2; echo $E > bare2/hooks/a',
    'bare2/hooks/a',
  ),
  write('case', 'a missing denied file', 'echo $E > LATER.key', 'later.key'),
  write('letters', 'a missing denied file, a sharp s', 'echo $E > pa\u00df.key', 'pass.key'),
];

/** Each prints `secret`. */
const read = (needs: string, name: string, script: string): Way => ({
  name: `read: ${name}`,
  needs: needs.split(' ') as Trait[],
  script,
});

const reads: readonly Way[] = [
  read('case', 'another case', 'cat SECRET'),
  read('dots', 'dots', 'cat secret..'),
  read('invisible', 'an invisible character', 'cat sec\u200cret'),
  read('letters', 'a sharp s', 'cat pa\u00dfword'),
  read('letters', 'an accent, another case', 'cat CL\u00c9'),
  read('letters', 'an accent of its own', 'cat cle\u0301'),
  read('case', 'a wildcard, another case', 'cat KEY.PEM'),
  read('dots blanks', 'a wildcard, dots and blanks', "cat 'key.pem. '"),
  read('dots', 'a wildcard, dots', 'cat key.pem..'),
  read('letters', 'a wildcard, a sharp s', 'cat my.pa\u00dfwd'),
  read('letters', 'a wildcard, an accent, another case', 'cat MY.CL\u00c9'),
  read('letters', 'a wildcard, an accent of its own', 'cat my.cle\u0301'),
  read('letters', 'a wildcard for a folder, a ligature', 'cat open-by-\ufb01le/file'),
  read('dots links', 'a link', 'ln -s SECRET. l; cat l'),
  read('case links', 'a link, another case', 'ln -s SECRET k; cat k'),
  read('blanks', 'a descriptor', "exec 5< 'secret '; cat <&5"),
  read('case', 'a descriptor, another case', 'exec 5< Secret; cat <&5'),
  read('dots', 'a folder', 'cat Closed./file'),
  read('case', 'a folder, another case', 'cat Closed/file'),
  read('short', 'a short name', 'cat CLOSED~1/file'),
  read('short', 'a file with a short name', 'cat LONGER~1'),
  read('short', 'a wildcard, a short name', 'cat DEPLOY~1.SEC'),
  read('short', 'a wildcard for a folder, a short name', 'cat OPEN-B~1/file'),
  read('short', 'a wildcard below a short name', 'cat SUBFOL~1/DEPLOY~1.SEC'),
  read('short links', 'a wildcard, a link to a short name', 'ln -s DEPLOY~1.SEC m; cat m'),
  read('letters', 'a wildcard for a folder, renamed by an accent', 'mv by-cl\u00c9 r; cat r/file'),
  read('short', 'a wildcard, a renamed folder with a short name', 'mv OPEN-B~1 p; cat p/file'),
  read('dots', 'a folder that is renamed', "mv 'closed folder.' o; cat o/file"),
  read('case', 'a folder that is renamed, another case', 'mv CLOSED-TOO o2; cat o2/file'),
  read('dots', 'a file that is renamed', 'mv SECRET. y; cat y'),
  read('case', 'a file that is renamed, another case', 'mv SECRET-TOO y2; cat y2'),
];

const setUp = `for f in .git below/.git bare bare2; do mkdir -p $f/hooks $f/objects $f/refs $f/info; echo x > $f/HEAD; echo > $f/config; echo > $f/info/attributes; done
mkdir -p .vscode tree subfolder-of-it; echo 'gitdir: x' > tree/.git
for f in secret secret-too password cl\u00e9 my.passwd my.cl\u00e9 key.pem longer-secret closed/file 'closed folder/file' closed-too/file deploy-key.secret subfolder-of-it/deploy-key.secret open-by-name/file open-by-file/file by-cl\u00e9/file; do mkdir -p "$(dirname "$f")"; echo secret > "$f"; done`;

const denied = [
  ...['secret', 'secret-too', 'password', 'cl\u00e9', 'later.key', 'pass.key', 'longer-secret'],
  ...[
    'closed/**',
    'closed folder/**',
    'closed-too/**',
    'open*name/file',
    'open*-file/file',
    'by-cl*\u00e9/file',
  ],
  ...['*.pem', '*.secret', '*.passwd', '*.cl\u00e9'],
];

/** The entries of denied_paths, for this workspace. */
export const deniedIn = (work: string): string[] =>
  denied.map((one) => (one.startsWith('*') ? one : `${work}/${one}`));

export interface Attacks {
  /** Makes the files that are attacked. */
  readonly setUp: string;
  /** All attacks; a bash script. */
  readonly attack: string;
  /** Prints the name of each attack that succeeded, and a line if the attacks did not run to their end. */
  readonly check: string;
  /** What `check` prints where nothing refuses the attacks. */
  readonly names: readonly string[];
}

/** The attacks whose spellings this file system accepts. */
export function attacksOn(id: FoldingId): Attacks {
  const works = ({needs}: Way): boolean => needs.every((one) => traits[id].includes(one));
  const [written, seen] = [writes.filter(works), reads.filter(works)];
  return {
    setUp,
    attack: [
      ...written.map(({script}, n) => `(E=evil-${n}-; ${script})`),
      ...seen.map(({name, script}) => `(${script}) | grep -q secret && echo '${name}' >> read`),
      'echo over > over',
    ].join('\n'),
    check: [
      ...written.map(({name, place}, n) => `grep -qs evil-${n}- ${place} && echo '${name}'`),
      "cat read 2> /dev/null; grep -qs over over || echo 'not all attacks ran'",
    ].join('\n'),
    names: [...written, ...seen].map(({name}) => name),
  };
}
