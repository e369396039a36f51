// `npm run readme`: put the enforcement table into README.md.
import {readFileSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {build} from 'esbuild';
import {presets} from '../../profiles/compile.mjs';

const root = path.dirname(path.dirname(import.meta.dirname));
const {outputFiles} = await build({
  entryPoints: [path.join(import.meta.dirname, 'tables.ts')],
  bundle: true,
  write: false,
  platform: 'node',
  format: 'esm',
  plugins: [presets],
});
const code = `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`;
const {withTable} = await import(code);
const readme = path.join(root, 'README.md');
writeFileSync(readme, withTable(readFileSync(readme, 'utf8')));
