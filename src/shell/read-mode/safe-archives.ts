import type {Word} from '../analysis.ts';
import {scanStrictly, type SafeRow} from './safe-options.ts';

type Words = readonly Word[];

const common = 'c d f k q v t --stdout --decompress --test --keep --quiet --verbose';
/** bzip2 has no list option. */
const bzip: SafeRow = {flags: common};
const zstd: SafeRow = {flags: `${common} l --list`};
const gzip: SafeRow = {flags: `${common} l --list --to-stdout`};

/** A program that compresses a file in place. With an option to print, list or test it writes nothing. */
const packer = (shown: SafeRow, files?: readonly string[]): SafeRow => ({
  ...shown,
  ...(files ? {files} : {}),
  check: (words) => {
    const scan = scanStrictly('it', words, shown);
    if ('why' in scan) return scan.why;
    const has = (option: RegExp): boolean => scan.options.some((given) => option.test(given));
    // For some programs the last one of -t, -l and -d wins.
    const looks = has(/^(?:-[a-z]*[lt]|--(?:list|test)$)/) && !has(/^(?:-[a-z]*d|--decompress$)/);
    return looks || has(/^(?:-[a-z]*c|--(?:to-)?stdout$)/)
      ? undefined
      : 'it writes next to the file: with -c or -l it only reads';
  },
});

/** A program that always prints to stdout. */
const printer = (files?: readonly string[]): SafeRow => ({
  harmless: true,
  flags: 'f k q v --force --quiet --verbose',
  ...(files ? {files} : {}),
});

/** Archives and compressed files, if the command only shows them. */
export const archiveRows: Readonly<Record<string, SafeRow>> = {
  gzip: packer(gzip),
  gunzip: packer(gzip),
  bzip2: packer(bzip),
  bunzip2: packer(bzip, ['bzip2']),
  xz: packer(gzip),
  unxz: packer(gzip, ['xz']),
  zstd: packer(zstd),
  unzstd: packer(zstd, ['zstd']),
  zcat: printer(),
  bzcat: printer(['bzip2']),
  xzcat: printer(['xz']),
  zstdcat: printer(['zstd']),
  zgrep: {free: true, check: checkZgrep},
  tar: {free: true, check: checkTar},
  unzip: {free: true, check: checkUnzip},
};

const grepOptions: SafeRow = {
  flags: 'E F G P i v w x c L l q s b H h n a o --ignore-case --count --line-number --only-matching',
  values: 'e m A B C',
};

/**
 * zgrep is a script that builds commands from its words. In older versions a file name with a newline in it became a
 * command.
 */
function checkZgrep(words: Words): string | undefined {
  if (words.some(({literal, text}) => !literal || text.includes('\n')))
    return 'zgrep with a word that is known only when it runs';
  const scan = scanStrictly('zgrep', words, grepOptions);
  return 'why' in scan ? scan.why : undefined;
}

const tarOptions: SafeRow = {
  flags:
    't v z j J a --list --verbose --gzip --bzip2 --xz --zstd --auto-compress --wildcards --numeric-owner --full-time --utc --force-local',
  values: 'f C --file --exclude --directory --strip-components',
};

/** `tar -t` lists. A name with a colon before the first slash is on another machine, which tar contacts by rsh. */
function checkTar(words: Words): string | undefined {
  const [first, ...others] = words;
  if (first && !/^(?:-|[tvzjJ]+f?$)/.test(first.text)) return 'tar packs or unpacks: with -t it only reads';
  // The letters of `tar tzf x` are options without a dash.
  const dashed =
    first?.literal && /^[tvzjJ]+f?$/.test(first.text)
      ? [{...first, text: `-${first.text}`}, ...others]
      : words;
  if (dashed.some(({literal, pieces}) => !literal && !/^[\w.~-]*\//.test(pieces?.[0] ?? '')))
    return 'tar with a word that is known only when it runs';
  const scan = scanStrictly('tar', dashed, tarOptions);
  if ('why' in scan) return scan.why;
  if (!scan.options.some((option) => option === '--list' || /^-[a-zA-Z]*t/.test(option)))
    return 'tar packs or unpacks: with -t it only reads';
  return words.some(({text}) => /^[^/]*:/.test(text.replace(/^--?\w*=?/, '')))
    ? 'tar with a file name that may be on another machine'
    : undefined;
}

const unzipOptions: SafeRow = {flags: 'l v t p q qq z c'};

function checkUnzip(words: Words): string | undefined {
  const scan = scanStrictly('unzip', words, unzipOptions);
  if ('why' in scan) return scan.why;
  return scan.options.some((option) => /^-[a-z]*[lvtpzc]/.test(option))
    ? undefined
    : 'unzip unpacks: with -l or -p it only reads';
}
