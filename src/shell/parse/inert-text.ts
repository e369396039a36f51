/** Programs and builtins that start no other program, whatever their arguments are, and are no toolchain's. */
const inertPrograms = new Set(
  [
    ': true false echo printf exit test sleep pwd ls cat tac head tail wc cut paste tr sort uniq comm join nl fold',
    'grep egrep fgrep diff cmp stat file basename dirname realpath readlink mkdir rmdir touch rm cp mv ln chmod chown',
    'truncate tee seq date id whoami uname hostname df du md5sum sha1sum sha256sum cksum base64 od hexdump',
  ].flatMap((line) => line.split(' ')),
);

/** Plain words, quotes, redirections and the signs between commands: nothing that is expanded into another command, or into home. */
const plain = /^[\w ./:=@%+,^?*#!'"<>;&|-]{1,4096}$/;

/** A path that does not start where the command does, but for the one that everybody writes to. */
const absolutePath = /(?<![\w.])\/(?!dev\/null\b)/;

/**
 * Does this command surely start nothing but programs of the table, and name nothing in home but relative to where it
 * starts? Every word behind a sign between commands is taken for a program, so a sign inside quotes can only make the answer
 * no. Pure.
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
