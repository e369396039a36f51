/** Programs and builtins that never start another program, whatever their arguments, and do not belong to a toolchain. */
const inertPrograms = new Set(
  [
    ': true false echo printf exit test sleep pwd ls cat tac head tail wc cut paste tr sort uniq comm join nl fold',
    'grep egrep fgrep diff cmp stat file basename dirname realpath readlink mkdir rmdir touch rm cp mv ln chmod chown',
    'truncate tee seq date id whoami uname hostname df du md5sum sha1sum sha256sum cksum base64 od hexdump',
  ].flatMap((line) => line.split(' ')),
);

/**
 * Plain words, quotes, redirections and command separators. Excludes everything that expands into another command or into
 * the home folder.
 */
const plain = /^[\w ./:=@%+,^?*#!'"<>;&|-]{1,4096}$/;

/** An absolute path, except /dev/null. */
const absolutePath = /(?<![\w.])\/(?!dev\/null\b)/;

/**
 * Reports whether the command certainly starts only programs of the table and names no path in home, except relative to
 * where it starts. Every word after a separator counts as a program, so a separator inside quotes can only turn the answer
 * to no. Pure.
 */
export function isInert(command: string): boolean {
  if (!plain.test(command) || absolutePath.test(command)) return false;
  const withoutCopies = command.replaceAll(/[<>]&\d/g, ' ');
  return withoutCopies.split(/[;&|]+/).every((part) => inertPrograms.has(firstWord(part)));
}

function firstWord(part: string): string {
  const text = part.trimStart();
  const end = text.search(/[ <>]/);
  return end === -1 ? text : text.slice(0, end);
}
