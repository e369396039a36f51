/**
 * Commands that never ask in a trusted workspace, as origin document 000 lists them. The safe table holds many more
 * programs: those may start in read mode, but ion asks for them where a row asks.
 */
const verbs = new Set('ls pwd cat head tail wc file which echo'.split(' '));

const gitVerbs = new Set(
  'status diff log show blame branch ls-files ls-tree rev-parse describe remote config'.split(' '),
);

/**
 * Options that the safe table allows, but that write or start a program: refreshing the index, making the objects of
 * a merge to show it, running git in each submodule.
 */
const writesOrRuns = /^--(?:dirty|broken|remerge-diff|recurse-submodules)(?:=|$)/;

/**
 * Reports whether the command is one of the verbs, with nothing in front of it. `text` has no metacharacters, so
 * blanks separate its words.
 */
export function isReadVerb(text: string): boolean {
  const [program = '', ...words] = text.trim().split(/[ \t]+/);
  if (program !== 'git') return verbs.has(program);
  const [first = '', ...others] = /^(?:-P|--no-pager)$/.test(words[0] ?? '') ? words.slice(1) : words;
  return gitVerbs.has(first) && !others.some((word) => writesOrRuns.test(word));
}
