import {test} from 'node:test';
import assert from 'node:assert/strict';
import {forEachChild, parse, type SyntaxNode} from 'unbash';
import {analyze} from '../../../../src/shell/parse/analyze.ts';
import {matchDenied} from '../../../../src/shell/match/deny.ts';
import {parsePieces} from '../../../../src/shell/parse/pieces.ts';
import {generate} from '../../../oracle/generate.ts';
import {Random} from '../../../oracle/random.ts';
import {attacks, everyday} from '../tables/deny.ts';
import {howMany, runsOf} from '../../../harness/extent.ts';
import {fc} from '../../../harness/property.ts';

/** Every node below, with its kind, its position and its errors. */
function nodes(root: SyntaxNode, start: number): string[] {
  const found: string[] = [];
  const visit = (node: SyntaxNode, shift: number | undefined): void => {
    // Text in backquotes is a separate text, with its own positions.
    const here = node.type === 'Script' && node.source !== undefined ? undefined : shift;
    const place = here === undefined ? '' : ` ${node.pos + here} ${node.end + here}`;
    const errors =
      'errors' in node && node.errors ? JSON.stringify(node.errors.map(({message}) => message)) : '';
    found.push(`${node.type}${place}${errors}`);
    forEachChild(node, (child) => visit(child, here));
  };
  visit(root, start);
  return found;
}

/** The pieces of a script give the same statements as the whole script. */
function sameAsWhole(text: string, length: number): number {
  const pieces = [...parsePieces(text, length)];
  const cut = pieces.flatMap(({script, start}) => script.commands.flatMap((node) => nodes(node, start)));
  assert.deepEqual(
    cut,
    parse(text).commands.flatMap((node) => nodes(node, 0)),
    JSON.stringify(text),
  );
  return pieces.length;
}

const lines = [
  'if a; then',
  'fi',
  'for i in a b; do',
  'done',
  'case $x in',
  'a) b ;;',
  'esac',
  'f() {',
  '}',
  '(a; b',
  ')',
  "echo 'open",
  "closed'",
  'echo "open',
  '$(git push',
  ')"',
  'cat <<E',
  'E',
  'x=(a b',
  '))',
  'a &&',
  'b |',
  'c \\',
  '# it\'s "',
  '$((1 +',
  '${x:-',
  '}"',
  '[[ a &&',
  'b ]]',
  '`a',
  'b`',
  '@(a|',
  ':(){ :|:& };:',
  'ls *.c # c',
  "$'a\\'",
  'coproc {',
  '! time',
  'function g',
  '\\',
  '',
  ';;',
  'git push',
];

test('a script in pieces is read like the whole script', () => {
  let cuts = 0;
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          {weight: 3, arbitrary: fc.constantFrom('ls -l', 'a b; c', 'x=1 d')},
          fc.constantFrom(...lines),
        ),
        {
          minLength: 4,
          maxLength: 60,
        },
      ),
      fc.integer({min: 8, max: 60}),
      (parts, length) => {
        cuts += sameAsWhole(parts.join('\n'), length) - 1;
      },
    ),
    {numRuns: howMany({quick: 300, whole: 8000, full: 8000})},
  );
  assert.ok(cuts > howMany({quick: 50, whole: 1500, full: 1500}), `only ${cuts} cuts were tried`);
});

test('so is a script of generated lines', () => {
  const random = new Random(5);
  let cuts = 0;
  for (let round = 0; round < runsOf(400); round++) {
    const text = Array.from(
      {length: 20},
      () => generate(random, new Set(['env', 'bash', 'xargs'])).text,
    ).join('\n');
    cuts += sameAsWhole(text, 100 + random.below(200)) - 1;
  }
  assert.ok(cuts > runsOf(100), `only ${cuts} cuts were tried`);
});

test('a denied command is found anywhere in a long script', () => {
  const harmless = `${everyday
    .slice(0, 40)
    .map(([command]) => command)
    .filter((command) => !/<<|\n/.test(command))
    .join('\n')}\n`;
  const long = harmless.repeat(Math.ceil(70_000 / harmless.length));
  for (const [command] of attacks
    .filter(([command]) => !command.includes('<<'))
    .filter((_, at) => at % howMany({quick: 60, whole: 12, full: 12}) === 0)) {
    const alone = matchDenied(['git push*'], analyze(command)).length > 0;
    const within = matchDenied(['git push*'], analyze(`${long}${command}\n${long}`));
    assert.equal(within.length > 0, alone, command);
    for (const {segment} of within) assert.ok(segment.span.start >= long.length, command);
  }
});
