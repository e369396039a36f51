import type {Word} from '../analysis.ts';

const alone =
  '-H -L -P -O0 -O1 -O2 -O3 -a -and -o -or -not -daystart -depth -d -follow -mount -xdev -noleaf -ignore_readdir_race -noignore_readdir_race -warn -nowarn -true -false -empty -executable -readable -writable -nouser -nogroup -print -print0 -prune -quit -ls -E -X -x -s ! ( ) ,';
const withValue =
  '-amin -anewer -atime -cmin -cnewer -context -ctime -fstype -gid -group -ilname -iname -inum -ipath -iregex -iwholename -links -lname -maxdepth -mindepth -mmin -mtime -name -newer -path -perm -regex -regextype -samefile -size -type -uid -used -user -wholename -xtype -printf -D -flags -depth';
const tests = new Set(alone.split(' '));
const valued = new Set(withValue.split(' ').filter((name) => name !== '-depth'));

/**
 * find's expressions are single words. An expression that is not listed may delete, write or run. The command of -exec is a
 * segment of its own.
 */
export function checkFind(words: readonly Word[]): string | undefined {
  for (let at = 0; at < words.length; at++) {
    const {text} = words[at]!;
    if (valued.has(text) || /^-newer[aBcm][aBcmt]$/.test(text)) at++;
    else if (tests.has(text)) continue;
    else if (text === '-exec' || text === '-execdir') {
      at = endOfCommand(words, at + 1);
      if (at === words.length) return `find ${text} without its end`;
    } else if (text.startsWith('-')) return `find ${text} is not among the tests known to be safe`;
  }
  return undefined;
}

/** The index of the `;`, or of the `+` in `{} +`, as unfold-find.ts reads it. */
function endOfCommand(words: readonly Word[], from: number): number {
  const end = words.findIndex(
    ({text}, at) => at >= from && (text === ';' || (text === '+' && words[at - 1]!.text === '{}')),
  );
  return end === -1 ? words.length : end;
}
