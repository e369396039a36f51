import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {test} from 'node:test';
import {parseLayer} from '../../../src/config/read/parse-layer.ts';
import {parseSet} from '../../../src/config/read/set-layer.ts';
import {settingForms} from '../../../src/config/set-option.ts';
import {fc} from '../../harness/property.ts';

/** The words of `options`, as bash passes them on. */
function words(options: readonly string[]): string[] {
  const script = options.map((option) => `printf '%s\\0' ${option}`).join('\n');
  return execFileSync('bash', ['-c', script], {encoding: 'utf8'}).split('\0').slice(0, -1);
}

test('both forms of a setting can be pasted, whatever its value is', () => {
  const path = fc
    .string({unit: 'binary', minLength: 1, maxLength: 12})
    .map((text) => `/${text.replaceAll(/[\0*?]/g, 'x')}`);
  const forms = fc.sample(fc.array(path, {minLength: 1, maxLength: 3}), 200).map((paths) => ({
    key: 'sandbox.write_roots',
    paths,
    text: settingForms('sandbox.write_roots', paths),
  }));
  const parts = forms.map(({text}) =>
    /^for this run: ([^]*); for all: ([^]*) in ~\/\.ion\/config\.toml$/.exec(text)!,
  );
  const place = {folder: undefined, home: undefined};
  const passed = words(parts.map(([, option]) => option!));
  assert.equal(passed.length, 2 * forms.length);
  for (const [index, {paths}] of forms.entries()) {
    const want = {sandbox: {write_roots: paths}};
    const [, , line] = parts[index]!;
    assert.equal(passed[2 * index], '--set');
    const set = parseSet(passed[2 * index + 1]!, place);
    assert.equal(set.replaces, false);
    assert.equal(JSON.stringify(set.document), JSON.stringify(want));
    const file = parseLayer(line!, {...place, kind: 'user', file: 'f'});
    assert.equal(JSON.stringify(file.document), JSON.stringify(want));
  }
});

test("a value above the user's config has to go", () => {
  const after = (layer: 'project' | 'user' | 'set' | 'default', file?: string): string =>
    settingForms('sandbox.network', 'full', {layer, ...(file === undefined ? {} : {file})}).replace(
      /^.* in ~\/\.ion\/config\.toml/,
      '',
    );
  assert.equal(after('project', '.ion/config.toml'), ', without the one in .ion/config.toml');
  for (const other of [after('user', '~/.ion/config.toml'), after('set', '--set a=1'), after('default')])
    assert.equal(other, '');
});
