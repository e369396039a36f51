import type {SafeRow} from './safe-options.ts';

const checksum: SafeRow = {
  harmless: true,
  flags:
    'b c t z w --binary --check --tag --text --zero --ignore-missing --quiet --status --strict --warn --help --version',
};

/** Filters: they read files or stdin, and write stdout. */
export const textRows: Readonly<Record<string, SafeRow>> = {
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
    // `-colsX` still takes the next word as its value, and the program may write to the word after that.
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
  tsort: {harmless: true},
  base64: {harmless: true, flags: 'd D i --decode --ignore-garbage', values: 'w b --wrap'},
  numfmt: {
    harmless: true,
    texts: true,
    flags: 'z --debug --grouping --header',
    values:
      'd --to --from --suffix --padding --field --format --delimiter --round --to-unit --from-unit --invalid',
  },
};
