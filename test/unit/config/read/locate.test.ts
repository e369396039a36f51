import {test} from 'node:test';
import assert from 'node:assert/strict';
import {parse} from 'smol-toml';
import {locate} from '../../../../src/config/read/locate.ts';
import {cpuSeconds} from '../../../harness/cpu-seconds.ts';
import {runsOf} from '../../../harness/extent.ts';
import {fc} from '../../../harness/property.ts';

type Path = (string | number)[];

const documents: {name: string; text: string; want: [path: Path, line: number][]}[] = [
  {name: 'an empty document', text: '', want: [[['a'], 1]]},
  {
    name: 'top-level keys',
    text: '\n# x\na = 1\nb = 2',
    want: [
      [['a'], 3],
      [['b'], 4],
    ],
  },
  {
    name: 'a table',
    text: '[a]\n\nb = 1\n[c]\nb = 2\n',
    want: [
      [['a'], 1],
      [['a', 'b'], 3],
      [['c', 'b'], 5],
    ],
  },
  {
    name: 'a table below a table',
    text: '[a.b]\nc = 1\n[a]\nd = 2',
    want: [
      [['a', 'b', 'c'], 2],
      [['a', 'd'], 4],
    ],
  },
  {
    name: 'dotted keys',
    text: '[a]\nb.c = 1\nb . d = 2\n',
    want: [
      [['a', 'b', 'c'], 2],
      [['a', 'b', 'd'], 3],
    ],
  },
  {
    name: 'quoted keys',
    text: '"a.b" = 1\n\'c"\'."d\\u0065" = 2',
    want: [
      [['a.b'], 1],
      [['c"', 'de'], 2],
    ],
  },
  {name: 'long escapes in keys', text: '\n"\\U0001F600\\x41\\t" = 1', want: [[['😀A\t'], 2]]},
  {
    name: 'an array on one line',
    text: '\na = [1, 2]',
    want: [
      [['a', 0], 2],
      [['a', 1], 2],
    ],
  },
  {
    name: 'an array over several lines',
    text: 'a = [\n  "x", # ]\n\n  "y",\n  [1,\n   2],\n]\nb = 1',
    want: [
      [['a', 0], 2],
      [['a', 1], 4],
      [['a', 2], 5],
      [['a', 2, 1], 6],
      [['b'], 8],
    ],
  },
  {
    name: 'an inline table',
    text: 'a = {b = 1, c.d = [1,\n2], e = {f = "}"}}\ng = 1',
    want: [
      [['a', 'b'], 1],
      [['a', 'c', 'd', 1], 2],
      [['a', 'e', 'f'], 2],
      [['g'], 3],
    ],
  },
  {
    name: 'an array of tables',
    text: '[[a]]\nb = 1\n[[a]]\nb = 2\n[a.c]\nd = 3\n[[a.e]]\n[[a.e]]\nf = 1',
    want: [
      [['a', 0, 'b'], 2],
      [['a', 1], 3],
      [['a', 1, 'b'], 4],
      [['a', 1, 'c', 'd'], 6],
      [['a', 1, 'e', 1, 'f'], 9],
    ],
  },
  {
    name: 'strings that look like structure',
    text: 'a = "[x]\\" = # "\nb = \'\\\'\nc = """\n[x]\n\\""" y = 1\n"""\nd = \'\'\'\nz = 1\'\'\'\'\ne = 1',
    want: [
      [['a'], 1],
      [['b'], 2],
      [['c'], 3],
      [['d'], 7],
      [['e'], 9],
    ],
  },
  {
    name: 'scalars',
    text: 'a = 1979-05-27 07:32:00 # x\nb = -1_0.5e3\nc = true\n',
    want: [
      [['b'], 2],
      [['c'], 3],
    ],
  },
  {
    name: 'CRLF',
    text: 'a = 1\r\n[b]\r\nc = [1,\r\n2]\r\n',
    want: [
      [['b', 'c'], 3],
      [['b', 'c', 1], 4],
    ],
  },
  {
    name: 'a path that does not exist',
    text: '\n\n[a]\nb = 1',
    want: [
      [['a', 'x'], 3],
      [['x'], 1],
    ],
  },
  {
    name: 'a key that every object has',
    text: '\n__proto__ = 1\n[constructor]\nx = 1',
    want: [
      [['__proto__'], 2],
      [['constructor', 'x'], 4],
    ],
  },
];
for (const {name, text, want} of documents) {
  test(`locate: ${name}`, () => {
    parse(text);
    const lines = locate(text);
    for (const [path, line] of want) assert.equal(lines.lineOf(path), line, path.join('.'));
  });
}

/** A document, generated together with the positions of its values. */
interface Written {
  readonly lines: string[];
  readonly places: {path: Path; line: number}[];
}

const key = fc.oneof(fc.stringMatching(/^[a-z]{1,3}$/), fc.string({maxLength: 4, unit: 'grapheme'}));
const keyText = (name: string) =>
  /^[\w-]+$/.test(name) ? name : JSON.stringify(name).replaceAll('\u007f', '\\u007f');
const scalar = fc.oneof(
  fc.constant('1'),
  fc.constant("''"),
  fc.constant('"#[{=\\"]"'),
  fc.constant('"""\n[a]\n"""'),
  fc.constant("'''\n\n= '''"),
  fc.constant('2000-01-01 00:00:00'),
);
const gap = fc.constantFrom('', ' ', '\n', ' # ],}\n\t');
const value: fc.Arbitrary<Element> = fc.letrec<{value: Element}>((tie) => ({
  value: fc.oneof(
    {depthSize: 'small', withCrossShrink: true},
    scalar.map((text): Element => ({text})),
    fc.array(fc.tuple(gap, tie('value')), {maxLength: 3}).map((items): Element => ({items})),
  ),
})).value;
type Element = {text: string} | {items: [string, Element][]};

/** Appends `element` to `written` and records where each part begins. */
function write(written: Written, path: Path, element: Element): void {
  const append = (text: string) => {
    const [first, ...rest] = text.split('\n');
    written.lines[written.lines.length - 1] += first!;
    written.lines.push(...rest);
  };
  if ('text' in element) return append(element.text);
  append('[');
  element.items.forEach(([blank, item], index) => {
    append(blank);
    written.places.push({path: [...path, index], line: written.lines.length});
    write(written, [...path, index], item);
    append(`${blank},`);
  });
  append(']');
}

test('locate: finds the line of every value', () => {
  const pairs = fc.uniqueArray(fc.tuple(key, value), {selector: ([name]) => name, maxLength: 4});
  const tables = fc.uniqueArray(fc.tuple(key, fc.nat(2), pairs), {selector: ([name]) => name, maxLength: 4});
  fc.assert(
    fc.property(tables, (document) => {
      const written: Written = {lines: [''], places: []};
      for (const [name, copies, content] of document) {
        for (let copy = 0; copy <= copies; copy++) {
          const isArray = copies > 0;
          const path = isArray ? [name, copy] : [name];
          written.lines.push('', isArray ? `[[${keyText(name)}]]` : `[ ${keyText(name)} ]`);
          written.places.push({path, line: written.lines.length});
          for (const [field, element] of content) {
            written.lines.push(`${keyText(field)} = `);
            written.places.push({path: [...path, field], line: written.lines.length});
            write(written, [...path, field], element);
          }
        }
      }
      const text = written.lines.join('\n');
      parse(text);
      const lines = locate(text);
      for (const {path, line} of written.places) assert.equal(lines.lineOf(path), line, JSON.stringify(path));
    }),
    {numRuns: runsOf(500)},
  );
});

test('locate: terminates on any text', () => {
  const noise = fc.string({unit: fc.constantFrom(...Array.from('[]{}="\'\\#.,\n ab1')), maxLength: 60});
  fc.assert(
    fc.property(noise, (text) => locate(text).lineOf(['a', 0]) >= 1),
    {numRuns: runsOf(2000)},
  );
});

test('locate: is fast on a large document', () => {
  const deep = `${'a.'.repeat(200_000)}a = 1\n`;
  const long = `b = [\n${'1,\n'.repeat(200_000)}]\n`;
  const took = cpuSeconds(() => {
    const lines = locate(deep + long);
    for (let index = 0; index < 200_000; index += 2) lines.lineOf(['b', index]);
    assert.equal(lines.lineOf(['b', 199_999]), 200_002);
  });
  assert.ok(took < 20, `${took} s`);
});
