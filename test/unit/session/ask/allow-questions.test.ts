import assert from 'node:assert/strict';
import {test} from 'node:test';
import {parse} from 'smol-toml';
import {listing} from '../../../../src/session/ask/allow-listing.ts';
import {askForEach} from '../../../../src/session/ask/allow-questions.ts';
import type {Terminal} from '../../../../src/session/ask/terminal.ts';
import type {Proposal} from '../../../../src/session/report/proposals.ts';

const entry = (value: string, chain = 'bash', beware?: string): Proposal => ({
  ...{key: 'sandbox.read_roots', value, ids: ['r-1'], chain},
  ...(beware === undefined ? {} : {beware}),
});
const many = (chain: string, beware?: string): Proposal[] =>
  'abcdefghijk'.split('').map((name) => entry(`/${chain}/${name}`, chain, beware));

const cases: readonly {
  name: string;
  entries: readonly Proposal[];
  /** The answers that are typed, one after the other; `!` ends the input. */
  typed: string;
  want: string;
}[] = [
  {name: 'yes to one', entries: [entry('/a'), entry('/b')], typed: 'y n', want: '/a'},
  {name: 'Enter means no', entries: [entry('/a')], typed: '', want: ''},
  {
    name: 'all accepts the rest',
    entries: [entry('/a'), entry('/b'), entry('/c')],
    typed: 'n a',
    want: '/b /c',
  },
  {
    name: 'all does not include the second list',
    entries: [entry('/a'), entry('/b', 'npm', '!')],
    typed: 'a n',
    want: '/a',
  },
  {name: 'all is not an answer there', entries: [entry('/b', 'npm', '!')], typed: 'a all n', want: ''},
  {name: 'yes to one of the second list', entries: [entry('/b', 'npm', '!')], typed: 'y', want: '/b'},
  {name: 'the end of input ends it', entries: [entry('/a'), entry('/b')], typed: 'y !', want: '/a'},
  {name: 'more than 20: chains', entries: [...many('x'), ...many('y')], typed: 'n y', want: '/y/a … 11'},
  {
    name: 'more than 20: each entry of a chain',
    entries: [...many('x'), ...many('y')],
    typed: 'n e y a',
    want: '/y/a … 11',
  },
  {
    name: 'more than 20 of the second list',
    entries: [...many('x', '!'), ...many('y', '!')],
    typed: 'y a n e y !',
    want: '/y/a',
  },
  {name: 'more than fits on the screen', entries: [entry(`/${'a'.repeat(2000)}`)], typed: 'y a n', want: ''},
];
for (const {name, entries, typed, want} of cases) {
  test(`ion allow asks: ${name}`, async () => {
    const accepted = await askForEach(entries, typing(typed.split(' ')), '/w');
    const values = accepted.map(({value}) => value);
    assert.equal(values.length > 5 ? `${values[0]} … ${values.length}` : values.join(' '), want);
  });
}

test('ion allow lists TOML, escaped', () => {
  const text = listing(
    [entry('/a\n# "x"\u001b[2J\u202e'), entry('/b', 'npm ci > sh', 'why')],
    '~/.ion/g.toml',
  );
  // oxlint-disable-next-line no-control-regex -- asserts that there is none
  assert.doesNotMatch(text, /[\u0000-\u0009\u000b-\u001f\u202e]/);
  assert.equal(text.split('\n').length, 7);
  const [first] = text.split('\n').filter((line) => line.startsWith('sandbox'));
  assert.equal(
    JSON.stringify(parse(first!)),
    JSON.stringify({sandbox: {read_roots: ['/a\n# "x"\u001b[2J\u202e']}}),
  );
});

/** A person who types these answers, whatever the question. After a rejected answer the next one is typed. */
function typing(answers: string[]): Terminal {
  return {
    readLine: (text, _timeoutMs, refuse = () => undefined) => {
      text({rows: 24, columns: 80});
      for (let line = answers.shift(); line !== undefined; line = answers.shift()) {
        if (line === '!') break;
        if (refuse(line) === undefined) return Promise.resolve({line});
      }
      return Promise.resolve({why: 'cancelled' as const});
    },
    say: () => undefined,
    cancel: () => undefined,
    close: () => undefined,
  };
}
