import {archiveRows} from './safe-archives.ts';
import {checkAwk, programOf} from './safe-awk.ts';
import {builtinRows} from './safe-builtins.ts';
import {checkFind} from './safe-find.ts';
import {checkGit} from './safe-git.ts';
import {machineRows} from './safe-machine.ts';
import type {SafeRow} from './safe-options.ts';
import {checkDpkg, checkLess, checkNpm} from './safe-programs.ts';
import {checkJq, checkSed} from './sed-and-jq.ts';
import {textRows} from './safe-text.ts';
import {versionRows} from './safe-versions.ts';

const grep: SafeRow = {
  harmless: true,
  leadingTexts: 1,
  numbers: true,
  flags:
    'E F G P i y v w x c L l o q s b H h n T Z a I U r R z --extended-regexp --fixed-strings --basic-regexp --perl-regexp --ignore-case --no-ignore-case --invert-match --word-regexp --line-regexp --count --color --colour --files-without-match --files-with-matches --only-matching --quiet --silent --no-messages --byte-offset --with-filename --no-filename --line-number --initial-tab --null --text --recursive --dereference-recursive --line-buffered --binary --null-data --help --version',
  values:
    'e f m A B C d D --regexp --file --max-count --label --after-context --before-context --context --binary-files --devices --directories --exclude --exclude-from --exclude-dir --include --group-separator',
};

const awk: SafeRow = {free: true, check: checkAwk, optionsEnd: programOf};

/** Programs that only read, with the options under which they do. */
export const safeRows: Readonly<Record<string, SafeRow>> = {
  ...builtinRows,
  ...archiveRows,
  ...versionRows,
  ...textRows,
  ...machineRows,
  ls: {
    harmless: true,
    flags:
      '1 A B C D F G H L N Q R S U X Z a b c d f g h i k l m n o p q r s t u v x --all --almost-all --author --escape --ignore-backups --color --context --directory --dired --classify --file-type --full-time --no-group --group-directories-first --human-readable --si --dereference-command-line --dereference --hide-control-chars --show-control-chars --hyperlink --inode --kibibytes --numeric-uid-gid --literal --quote-name --reverse --recursive --size --zero --help --version',
    values:
      'I T w --indicator-style --sort --time --format --ignore --hide --block-size --quoting-style --tabsize --time-style --width',
  },
  cat: {
    harmless: true,
    flags:
      'A b e E n s t T u v --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting --help --version',
  },
  tac: {harmless: true, flags: 'b r --before --regex', values: 's --separator'},
  head: {
    harmless: true,
    numbers: true,
    flags: 'q v z --quiet --silent --verbose --zero-terminated',
    values: 'c n --bytes --lines',
  },
  tail: {
    harmless: true,
    numbers: true,
    flags: 'f F q r v z --follow --retry --quiet --silent --verbose --zero-terminated',
    values: 'c n s --bytes --lines --pid --sleep-interval --max-unchanged-stats',
  },
  wc: {
    harmless: true,
    flags: 'c l L m w --bytes --chars --lines --max-line-length --words',
    values: '--files0-from --total',
  },
  file: {
    flags:
      'b h i L k N n r s 0 --brief --mime --mime-type --mime-encoding --dereference --no-dereference --keep-going --no-pad --no-buffer --raw --special-files --print0 --extension --help --version',
    values: 'F f e P --separator --files-from --exclude --parameter',
  },
  which: {harmless: true, texts: true, flags: 'a s --all'},
  grep,
  egrep: grep,
  fgrep: grep,
  rg: {
    leadingTexts: 1,
    flags:
      '0 a b c F H h I i l L n N o p P q s S U u v w x --auto-hybrid-regex --binary --block-buffered --byte-offset --case-sensitive --column --count --count-matches --crlf --debug --files --files-with-matches --files-without-match --fixed-strings --follow --glob-case-insensitive --heading --hidden --ignore-case --include-zero --invert-match --json --line-buffered --line-number --line-regexp --max-columns-preview --mmap --multiline --multiline-dotall --no-config --no-filename --no-heading --no-ignore --no-ignore-dot --no-ignore-exclude --no-ignore-files --no-ignore-global --no-ignore-messages --no-ignore-parent --no-ignore-vcs --no-line-number --no-messages --no-mmap --no-require-git --no-unicode --null --null-data --one-file-system --only-matching --passthru --pcre2 --pcre2-version --pretty --quiet --smart-case --stats --text --trim --type-list --unrestricted --version --vimgrep --with-filename --word-regexp --help',
    values:
      'A B C d E e f g j M m r t T --after-context --before-context --color --colors --context --context-separator --dfa-size-limit --encoding --engine --field-context-separator --field-match-separator --file --glob --iglob --ignore-file --max-columns --max-count --max-depth --max-filesize --path-separator --regex-size-limit --regexp --replace --sort --sortr --threads --type --type-add --type-clear --type-not',
  },
  find: {free: true, check: checkFind},
  stat: {
    harmless: true,
    flags: 'L f t F l n q r s x --dereference --file-system --terse --help --version',
    values: 'c --format --printf --cached',
  },
  du: {
    harmless: true,
    flags:
      '0 a b c D H h k l L m P S s x --null --all --apparent-size --bytes --total --dereference-args --human-readable --si --count-links --dereference --no-dereference --separate-dirs --summarize --one-file-system --inodes --time',
    values:
      'B d t X --block-size --max-depth --threshold --exclude-from --exclude --time-style --files0-from',
  },
  tree: {
    flags:
      'a d l f x q N Q p u g s h D F v t c U r n C A S i J X --dirsfirst --filesfirst --noreport --prune --du --si --inodes --device --gitignore --matchdirs --ignore-case --help --version',
    values: 'L P I --sort --filelimit --timefmt --charset --gitfile --infofile',
    valueLetters: 'alone',
  },
  realpath: {
    harmless: true,
    flags:
      'e m L P q s z --canonicalize-existing --canonicalize-missing --logical --physical --quiet --strip --no-symlinks --zero',
    values: '--relative-to --relative-base',
  },
  readlink: {
    harmless: true,
    flags:
      'f e m n q s v z --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --silent --verbose --zero',
  },
  seq: {
    harmless: true,
    texts: true,
    numbers: true,
    flags: 'w --equal-width',
    values: 'f s --format --separator',
  },
  expr: {harmless: true, texts: true, free: true},
  sed: {free: true, numbersInFront: true, check: checkSed},
  jq: {free: true, check: checkJq},
  sleep: {harmless: true, texts: true},
  git: {free: true, check: checkGit},
  awk: {...awk, files: ['mawk', 'gawk', 'original-awk', 'busybox']},
  mawk: awk,
  gawk: awk,
  less: {check: checkLess, flags: 'N n R r S s F X i I M m E e', values: 'p'},
  npm: {free: true, check: checkNpm, files: ['npm-cli.js']},
  dpkg: {free: true, check: checkDpkg},
  'dpkg-query': {free: true, check: checkDpkg},
};
