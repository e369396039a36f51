import {test} from 'node:test';
import assert from 'node:assert/strict';
import {stringify} from 'smol-toml';
import {IonError, quoted} from '../../../src/errors.ts';
import {parseLayer} from '../../../src/config/read/parse-layer.ts';
import {schema} from '../../../src/config/schema.ts';
import {fc} from '../../harness/property.ts';

/** Either the layer is accepted, or one error names the file, the line and the problem. Nothing else is thrown. */
function takeOrRefuse(text: string): 'taken' | 'refused' {
  const lines = text.split('\n').length;
  try {
    parseLayer(text, {kind: 'project', file: 'f.toml', folder: '/w', home: '/h'});
    return 'taken';
  } catch (error) {
    assert.ok(error instanceof IonError, String(error));
    assert.ok(error.at?.file === 'f.toml', error.message);
    const {line = 0} = error.at;
    assert.ok(line >= 1 && line <= lines, `line ${line} of ${lines}`);
    assert.ok(!/[\p{Cc}\p{Cf}]/u.test(error.message + (error.help ?? '')), quoted(error.message));
    return 'refused';
  }
}

const anything = fc.anything({
  values: [
    fc.string({unit: 'binary'}),
    fc.integer(),
    fc.double(),
    fc.boolean(),
    fc.date({noInvalidDate: true}),
  ],
  maxDepth: 3,
  maxKeys: 3,
});

function asToml(value: unknown): string | undefined {
  try {
    return stringify({value: value as string});
  } catch {
    return undefined;
  }
}

test('config: any value at any key is accepted, or refused with its line', () => {
  const counts = {taken: 0, refused: 0};
  const key = fc.constantFrom(...Object.keys(schema));
  fc.assert(
    fc.property(key, fc.oneof(anything, fc.array(anything, {maxLength: 3})), (name, value) => {
      const text = asToml(value);
      if (text === undefined) return;
      counts[takeOrRefuse(text.replaceAll(/^value|(?<=^\[+)value/gm, name))] += 1;
    }),
    {numRuns: 3000},
  );
  assert.ok(counts.refused > 500, JSON.stringify(counts));
});

const sample = `[permissions]
mode = "read" # x
deny_commands = ["a", 'b', """c
d"""]
rules = [{effect = "deny", scope = "tool", match = "x"}]
[sandbox]
limits = {timeout = "10m", memory = 5}
[[hooks]]
event = "Stop"
command = "\\u0041"
`;

test('config: a damaged file is accepted, or refused with its line', () => {
  const edits = fc.array(
    fc.tuple(fc.nat(sample.length), fc.nat(4), fc.string({unit: 'binary', maxLength: 3})),
    {
      minLength: 1,
      maxLength: 4,
    },
  );
  fc.assert(
    fc.property(edits, (list) => {
      let text = sample;
      for (const [at, length, inserted] of list)
        text = text.slice(0, at) + inserted + text.slice(at + length);
      takeOrRefuse(text);
    }),
    {numRuns: 3000},
  );
  assert.equal(takeOrRefuse(sample), 'taken');
});
