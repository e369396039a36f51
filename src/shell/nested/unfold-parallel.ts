import {scanOptions} from '../options.ts';
import {scriptOf, unknown, type Call, type Nested} from './nested-call.ts';
import {withHoles} from './unfold-words.ts';

const spec = {
  flags:
    '0 k m q r t u v X z --null --keep-order --xargs --quote --no-run-if-empty --verbose --ungroup --bar --eta --dry-run --dryrun --line-buffer --lb --link --pipe --progress --silent --will-cite --group --tag --shuf',
  values:
    'a C d E I i j J L l N n P S s --arg-file --colsep --delimiter --jobs --max-args --max-procs --joblog --results --sshlogin --timeout --delay --retries --halt --load --nice --workdir --wd --tmpdir --env --memfree --block --recstart --recend --basefile --return --profile',
};
const maxArguments = 200;

/** GNU parallel inserts each argument after `:::` into its words and gives the result to a shell. */
export function unfoldParallel({argv, name}: Call): Nested[] {
  const scan = scanOptions(argv, 1, spec);
  const mark = argv.findIndex((word, index) => index >= scan.next && word.text.startsWith(':::'));
  const template = argv.slice(scan.next, mark === -1 ? argv.length : mark);
  const inputs = mark === -1 ? [] : argv.slice(mark + 1).filter((word) => !word.text.startsWith(':::'));
  const span = argv[0]!.span;
  const open = unknown(`${name} runs commands with arguments that are known only when it runs`, span);
  if (template.length === 0) {
    if (inputs.length === 0) return [open];
    return inputs.slice(0, maxArguments).flatMap((word) => scriptOf([word], name));
  }
  const words = withHoles(template, '{}');
  const base: Nested[] = [{kind: 'command', argv: words, wrapper: name, open: true}];
  for (const input of inputs.slice(0, maxArguments)) {
    const replaced = template.some((word) => word.text.includes('{}'));
    const filled = template.map((word) => ({...word, text: word.text.replaceAll('{}', () => input.text)}));
    base.push(...scriptOf(replaced ? filled : [...template, input], name));
  }
  return scan.certain && mark !== -1 ? base : [...base, open];
}
