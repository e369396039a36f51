// Bundles the CLI: one CommonJS file with the code that every `ion run` needs, and one file for each module that the source
// imports lazily (the bash parser, commander, TOML ...). A plain run never reads the latter. CommonJS starts faster than ESM
// on Node 20 (`npm run bench`). Bundles share no code: code that two of them need is in both, which costs disk space, not time.
import {build} from 'esbuild';
import {createHash} from 'node:crypto';
import {mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {makeCodeCache} from './native/code-cache.mjs';
import {presets} from './profiles/compile.mjs';

const root = path.dirname(fileURLToPath(import.meta.url));
const dist = path.join(root, 'dist');
const {version} = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
const entries = new Map([
  ['ion', path.join(root, 'src/cli/main.ts')],
  ['library-open', path.join(root, 'src/library/open.ts')],
]);

/**
 * Modules that a plain run does not call. In the CLI's bundle, the first call of one of their functions loads their file. The
 * source imports them statically.
 */
const atFirstCall = [
  'shell/read-mode/safe.ts',
  'shell/nested/unfold.ts',
  'shell/dangerous/destructive-table.ts',
  'sandbox/matrix/promises.ts',
  'session/report/violations.ts',
  'session/report/message-for.ts',
  'session/report/limit-words.ts',
].map((name) => path.join(root, 'src', name));

const loadedAtFirstCall = {
  name: 'loaded-at-first-call',
  setup({onResolve, onLoad}) {
    onResolve({filter: /^\./}, ({kind, path: imported, resolveDir}) => {
      const file = path.resolve(resolveDir, imported);
      if (kind !== 'import-statement' || !atFirstCall.includes(file)) return undefined;
      entries.set(bundleName(file), file);
      return {path: file, namespace: 'at-first-call'};
    });
    onLoad({filter: /.*/, namespace: 'at-first-call'}, ({path: file}) => {
      const functions = [...readFileSync(file, 'utf8').matchAll(/^export function (\w+)/gm)];
      const proxies = functions.map(
        ([, name]) => `export const ${name} = (...args) => load().${name}(...args);`,
      );
      return {contents: `const load = () => require('./${bundleName(file)}');\n${proxies.join('\n')}`};
    });
    onResolve({filter: /^\.\/[\w-]+$/}, ({namespace, path: chunk}) =>
      namespace === 'at-first-call' ? {path: chunk, external: true} : undefined,
    );
  },
};

/** Makes a separate bundle of every module and package that is imported lazily. */
const lazyBundles = {
  name: 'lazy-bundles',
  setup({onResolve}) {
    onResolve({filter: /.*/}, ({kind, path: imported, resolveDir}) => {
      if (kind !== 'dynamic-import' || imported.startsWith('node:')) return undefined;
      if (!imported.startsWith('.')) {
        entries.set(`package-${imported}`, imported);
        return {path: `./package-${imported}`, external: true};
      }
      const file = path.resolve(resolveDir, imported);
      entries.set(bundleName(file), file);
      return {path: `./${bundleName(file)}`, external: true};
    });
  },
};

function bundleName(file) {
  return path.relative(path.join(root, 'src'), file).replaceAll('/', '-').replace(/\.ts$/, '');
}

/**
 * Thirty modules contain `import path from 'node:path'`. esbuild would copy the module for each of them, with a getter per
 * name, which costs a start one millisecond.
 */
const onePath = {
  name: 'one-path',
  setup({onResolve, onLoad}) {
    onResolve({filter: /^node:path$/}, ({kind}) =>
      kind === 'import-statement' ? {path: 'node:path', namespace: 'one-path'} : undefined,
    );
    onLoad({filter: /.*/, namespace: 'one-path'}, () => ({
      contents: `const path = require('node:path');
        export default path;
        export const {${Object.keys(path)
          .filter((name) => name !== 'default')
          .join(', ')}} = path;`,
    }));
  },
};

rmSync(dist, {recursive: true, force: true});
mkdirSync(dist);
for (const [name, file] of entries) {
  const {outputFiles} = await build({
    absWorkingDir: root,
    entryPoints: [file],
    outfile: path.join(dist, `${name}.cjs`),
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    minify: true,
    legalComments: 'none',
    charset: 'ascii',
    supported: {'dynamic-import': false},
    define: {ION_VERSION: JSON.stringify(version)},
    plugins: [presets, ...(name === 'ion' ? [loadedAtFirstCall] : []), lazyBundles, onePath],
    logLevel: 'warning',
  });
  const [{text}] = outputFiles;
  // The first line is a hash of the content: a code cache is used only with the text it was made from. The rest is a function,
  // as in Node's Module.wrap, so that bin/ion compiles it without copying.
  const hash = createHash('sha256').update(text).digest('hex');
  const wrapped = `//${hash}\n(function(exports,require,module){${text}\n})`;
  writeFileSync(path.join(dist, `${name}.cjs`), wrapped);
}
makeCodeCache(root);
