import {archiveRows} from './safe-archives.ts';
import {checkAwk, programOf} from './safe-awk.ts';
import {builtinRows} from './safe-builtins.ts';
import {checkFind} from './safe-find.ts';
import {checkGit} from './safe-git.ts';
import type {SafeRow} from './safe-options.ts';
import {checkDpkg, checkLess, checkNpm} from './safe-programs.ts';
import {checkJq, checkSed} from './safe-scripts.ts';
import {versionRows} from './safe-versions.ts';

const checksum: SafeRow = {
  harmless: true,
  flags:
    'b c t z w --binary --check --tag --text --zero --ignore-missing --quiet --status --strict --warn --help --version',
};

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
  df: {
    harmless: true,
    flags:
      'a h H i k l P T v --all --human-readable --si --inodes --local --no-sync --portability --print-type --total --output',
    values: 'B t x --block-size --type --exclude-type',
  },
  tree: {
    flags:
      'a d l f x q N Q p u g s h D F v t c U r n C A S i J X --dirsfirst --filesfirst --noreport --prune --du --si --inodes --device --gitignore --matchdirs --ignore-case --help --version',
    values: 'L P I --sort --filelimit --timefmt --charset --gitfile --infofile',
    valueLetters: 'alone',
  },
  sort: {
    flags:
      'b d f g i M h n R r V c C m s u z --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort --ignore-nonprinting --month-sort --human-numeric-sort --numeric-sort --random-sort --reverse --version-sort --check --merge --stable --unique --zero-terminated --debug',
    values: 'k t S --sort --key --field-separator --buffer-size --parallel --batch-size',
  },
  uniq: {
    operands: 1,
    optionsFirst: true,
    flags: 'c d D i u z --count --repeated --all-repeated --group --ignore-case --unique --zero-terminated',
    values: 'f s w --skip-fields --skip-chars --check-chars',
  },
  cut: {
    harmless: true,
    flags: 'n s z --complement --only-delimited --zero-terminated',
    values: 'b c d f --bytes --characters --delimiter --fields --output-delimiter',
  },
  tr: {
    harmless: true,
    texts: true,
    flags: 'c C d s t --complement --delete --squeeze-repeats --truncate-set1',
  },
  nl: {
    harmless: true,
    flags: 'p --no-renumber',
    values:
      'b d f h i l n s v w --body-numbering --section-delimiter --footer-numbering --header-numbering --line-increment --join-blank-lines --number-format --number-separator --starting-line-number --number-width',
  },
  rev: {harmless: true, flags: '0 --zero'},
  paste: {harmless: true, flags: 's z --serial --zero-terminated', values: 'd --delimiters'},
  comm: {
    harmless: true,
    flags: '1 2 3 i z --check-order --nocheck-order --total --zero-terminated',
    values: '--output-delimiter',
  },
  join: {
    harmless: true,
    flags: 'i z --check-order --nocheck-order --header --ignore-case --zero-terminated',
    values: '1 2 a e j o t v',
  },
  diff: {
    numbers: true,
    flags:
      'q s c u e n y p t T N P r b B w Z E i a d H --normal --brief --report-identical-files --context --unified --ed --rcs --side-by-side --left-column --suppress-common-lines --show-c-function --expand-tabs --initial-tab --no-dereference --recursive --new-file --unidirectional-new-file --ignore-file-name-case --no-ignore-file-name-case --ignore-case --ignore-tab-expansion --ignore-trailing-space --ignore-space-change --ignore-all-space --ignore-blank-lines --text --strip-trailing-cr --minimal --speed-large-files --color --suppress-blank-empty',
    values:
      'C U W F I x X S --label --show-function-line --width --tabsize --exclude --exclude-from --starting-file --from-file --to-file --ignore-matching-lines --horizon-lines --palette --line-format --old-line-format --new-line-format --unchanged-line-format --old-group-format --new-group-format --changed-group-format --unchanged-group-format',
  },
  cmp: {
    harmless: true,
    flags: 'b l s --print-bytes --verbose --quiet --silent',
    values: 'i n --ignore-initial --bytes',
  },
  md5sum: checksum,
  sha1sum: checksum,
  sha224sum: checksum,
  sha256sum: checksum,
  sha384sum: checksum,
  sha512sum: checksum,
  shasum: {harmless: true, flags: 'b c s t U 0 w --check --status --warn', values: 'a --algorithm'},
  b2sum: {...checksum, values: 'l --length'},
  cksum: {
    harmless: true,
    flags: 'c z w --check --tag --zero --ignore-missing --quiet --status --strict --warn --help --version',
    values: 'a l --algorithm --length',
  },
  sum: {harmless: true, flags: 'r s'},
  basename: {harmless: true, texts: true, flags: 'a z --multiple --zero', values: 's --suffix'},
  dirname: {harmless: true, texts: true, flags: 'z --zero'},
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
  date: {
    operands: 1,
    texts: true,
    flags: 'u I R --utc --universal --rfc-email --iso-8601 --debug --resolution',
    values: 'd f r --rfc-3339 --date --file --reference',
    refusesOperand: ({text}) =>
      text.startsWith('+') ? undefined : 'date with a plain operand sets the clock',
  },
  uname: {
    harmless: true,
    operands: 0,
    flags:
      'a s n r v m p i o --all --kernel-name --nodename --kernel-release --kernel-version --machine --processor --hardware-platform --operating-system',
  },
  whoami: {harmless: true, operands: 0},
  id: {
    harmless: true,
    texts: true,
    flags: 'G Z g n r u z a --context --group --groups --name --real --user --zero',
  },
  groups: {harmless: true, texts: true},
  hostname: {
    operands: 0,
    flags: 'f s i I d A --fqdn --long --short --ip-address --all-ip-addresses --domain --all-fqdns',
  },
  printenv: {harmless: true, texts: true, flags: '0 --null'},
  nproc: {harmless: true, operands: 0, flags: '--all', values: '--ignore'},
  arch: {harmless: true, operands: 0},
  uptime: {harmless: true, operands: 0, flags: 'p s --pretty --since'},
  seq: {
    harmless: true,
    texts: true,
    numbers: true,
    flags: 'w --equal-width',
    values: 'f s --format --separator',
  },
  sed: {free: true, numbersInFront: true, check: checkSed},
  jq: {free: true, check: checkJq},
  column: {
    harmless: true,
    flags: 't x e d L J --table --json --fillrows --table-noheadings --keep-empty-lines',
    values:
      'c s o l n N R H O W T E --separator --output-separator --table-columns --table-right --table-hide --table-order --table-name --output-width --table-columns-limit',
  },
  fold: {harmless: true, flags: 'b s', values: 'w --width'},
  fmt: {harmless: true, flags: 'c s t u', values: 'w p g --width'},
  expand: {harmless: true, flags: 'i --initial', values: 't --tabs'},
  unexpand: {harmless: true, flags: 'a --all --first-only', values: 't --tabs'},
  od: {
    harmless: true,
    flags:
      'a b c d D f F h H i I l L o O s v x X B e --output-duplicates --traditional --help --strings --width',
    optional: 'w',
    values: 'A j N S t --address-radix --endian --skip-bytes --read-bytes --format',
  },
  xxd: {
    // `-colsX` takes the next word all the same, and the program may write to the word after that.
    check: (words) =>
      words.some(({text}) => /^-(?:cols|groupsize|len|seek|offset|name|skip)./.test(text))
        ? 'xxd with a value after a long option in the same word'
        : undefined,
    operands: 1,
    optionsFirst: true,
    valueLetters: 'first',
    flags: 'a b C d e E i p -ps u -plain r',
    values: 'c g l n o s R -cols -groupsize -len -seek',
  },
  hexdump: {
    harmless: true,
    flags: 'b c C d o v x X --canonical --no-squeezing --color',
    optional: 'L',
    values: 'e f n s --length --skip',
  },
  hd: {harmless: true, flags: 'v', values: 'n s', files: ['hexdump']},
  strings: {
    harmless: true,
    numbers: true,
    flags: 'a d f o w --all --data --print-file-name --include-all-whitespace',
    values: 'n t e s --output-separator --bytes --radix --encoding',
    files: ['strings'],
  },
  cal: {harmless: true, texts: true, flags: '1 3 s m j y Y w h'},
  tsort: {harmless: true},
  base64: {harmless: true, flags: 'd D i --decode --ignore-garbage', values: 'w b --wrap'},
  expr: {harmless: true, texts: true, free: true},
  free: {harmless: true, operands: 0, flags: 'b k m g h t w l --human --total --wide'},
  locale: {harmless: true, texts: true, flags: 'a m k c'},
  numfmt: {
    harmless: true,
    texts: true,
    flags: 'z --debug --grouping --header',
    values:
      'd --to --from --suffix --padding --field --format --delimiter --round --to-unit --from-unit --invalid',
  },
  ps: {harmless: true, texts: true, free: true},
  sleep: {harmless: true, texts: true},
  tty: {harmless: true, flags: 's --silent --quiet'},
  git: {free: true, check: checkGit},
  awk: {...awk, files: ['mawk', 'gawk', 'original-awk', 'busybox']},
  mawk: awk,
  gawk: awk,
  less: {check: checkLess, flags: 'N n R r S s F X i I M m E e', values: 'p'},
  npm: {free: true, check: checkNpm, files: ['npm-cli.js']},
  pgrep: {
    harmless: true,
    texts: true,
    flags: 'f l a x n o v c i w --full --list-name --list-full --exact --newest --oldest --inverse --count',
    values: 'd u U P g t s --delimiter --parent --euid --uid --group --terminal --session',
  },
  lsof: {texts: true, flags: 'i n P t a b l R', values: 'p c u d s'},
  ss: {
    texts: true,
    flags:
      't u l n p a x w o e m i s r 4 6 0 H O --tcp --udp --listening --numeric --processes --all --unix --summary --no-header',
  },
  who: {harmless: true, texts: true, flags: 'a b d l m p q r s t T u w H'},
  w: {harmless: true, texts: true, flags: 'h u s f i o'},
  whereis: {harmless: true, texts: true, flags: 'b m s u l g'},
  lsblk: {harmless: true, texts: true, flags: 'a b d f i l m n p r S t', values: 'o I e x'},
  dpkg: {free: true, check: checkDpkg},
  'dpkg-query': {free: true, check: checkDpkg},
};
