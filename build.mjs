// Bundle the CLI: ESM source in, one CommonJS file out. CommonJS loads faster than ESM on Node 20 (see
// `npm run bench`), and one file means one read at start; what is imported lazily is only evaluated when used.
import {build} from 'esbuild';
import {readFileSync} from 'node:fs';

const {version} = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));

await build({
  entryPoints: ['src/cli/main.ts'],
  outfile: 'dist/ion.cjs',
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  minify: true,
  legalComments: 'none',
  define: {ION_VERSION: JSON.stringify(version)},
  logLevel: 'warning',
});
