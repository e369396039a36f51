// Bundle the CLI. ESM source in, CommonJS chunks out: CommonJS starts faster than ESM on Node 20 (`npm run bench`), and
// what is imported lazily in the source (the bash parser, commander, TOML) is a file of its own that a plain
// `ion run` never reads. esbuild splits only ESM, so the chunks are made as ESM and converted one by one.
import {build, transform} from 'esbuild';
import {mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {fileURLToPath} from 'node:url';

const root = path.dirname(fileURLToPath(import.meta.url));
const {version} = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
const dist = path.join(root, 'dist');

const {outputFiles} = await build({
  absWorkingDir: root,
  entryPoints: {ion: 'src/cli/main.ts'},
  outdir: dist,
  outExtension: {'.js': '.cjs'},
  chunkNames: 'chunk-[hash]',
  bundle: true,
  splitting: true,
  write: false,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  minify: true,
  legalComments: 'none',
  define: {ION_VERSION: JSON.stringify(version)},
  logLevel: 'warning',
});

rmSync(dist, {recursive: true, force: true});
mkdirSync(dist);
for (const {path: file, text} of outputFiles) {
  const {code} = await transform(text, {
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    minify: true,
    supported: {'dynamic-import': false},
  });
  writeFileSync(file, code);
}
