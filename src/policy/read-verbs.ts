/**
 * What never asks in a trusted workspace, as origin document 000 lists it. The safe table holds many more programs; they start in read
 * mode, but they ask where a row asks.
 */
const verbs = new Set('ls pwd cat head tail wc file which echo'.split(' '));

const gitVerbs = new Set(
  'status diff log show blame branch ls-files ls-tree rev-parse describe remote config'.split(' '),
);

/**
 * Options that the safe table has, and that write or start a program all the same: an index that is refreshed, objects of a merge that
 * is made to be shown, git in each submodule.
 */
const writesOrRuns = /^--(?:dirty|broken|remerge-diff|recurse-submodules)(?:=|$)/;

/** Is the command one of the verbs, with nothing in front of it? `text` has no metacharacter: its words are what blanks part. */
export function isReadVerb(text: string): boolean {
  const [program = '', ...words] = text.trim().split(/[ \t]+/);
  if (program !== 'git') return verbs.has(program);
  const [first = '', ...others] = /^(?:-P|--no-pager)$/.test(words[0] ?? '') ? words.slice(1) : words;
  return gitVerbs.has(first) && !others.some((word) => writesOrRuns.test(word));
}
