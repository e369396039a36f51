// Bundles the CLI: one CommonJS file with the code that every `ion run` needs, and one file for each module that the source
// imports lazily (the bash parser, commander, TOML ...). A plain run never reads the latter. CommonJS starts faster than ESM
// on Node 20 (`npm run bench`). Code that a start needs is in its bundle alone: the others take it from there (bundles/shared-code.mjs).
import {build} from 'esbuild';
import {createHash} from 'node:crypto';
import {mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {onceOrLazily} from './bundles/node-modules-once.mjs';
import {startEntry, takenKeys, takeShared} from './bundles/shared-code.mjs';
import {makeCodeCache} from './native/code-cache.mjs';
import {placeStarters} from './native/starters.mjs';
import {presets} from './profiles/compile.mjs';

const root = path.dirname(fileURLToPath(import.meta.url));
const dist = path.join(root, 'dist');
const {version} = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
/** The other bundles, by name. */
const entries = new Map([
  ['library-open', path.join(root, 'src/library/open.ts')],
  // Runs inside the sandbox, and carries out the file tools of `ion mcp`.
  ['tools-worker', path.join(root, 'src/tools/worker.ts')],
]);

/**
 * Modules that a plain run does not call. In the CLI's bundle, the first call of one of their functions loads their file. The
 * source imports them statically.
 */
const atFirstCall = [
  'shell/read-mode/safe.ts',
  'shell/nested/unfold.ts',
  'shell/dangerous/destructive-table.ts',
  'config/read/render.ts',
  'sandbox/linux/view.ts',
  'sandbox/matrix/promises.ts',
  'sandbox/plan/disk-roots.ts',
  'sandbox/plan/no-execution.ts',
  'sandbox/plan/private-temp.ts',
  'system/nearest.ts',
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

rmSync(dist, {recursive: true, force: true});
mkdirSync(dist);
const bundled = await bundleAll();
for (const [name, text] of bundled) {
  // The first line is a hash of the content: a code cache is used only with the text it was made from. The rest is a function,
  // as in Node's Module.wrap, so that bin/ion compiles it without copying.
  const hash = createHash('sha256').update(text).digest('hex');
  const wrapped = `//${hash}\n(function(exports,require,module){${text}\n})`;
  writeFileSync(path.join(dist, `${name}.cjs`), wrapped);
}
makeCodeCache(root);
placeStarters(root);

/**
 * The text of each bundle, by name. The start's bundle is made twice: first to learn which modules it has, then with the table of
 * the names that the others take from it. Such a name can need further lazy modules, so this repeats until there are no new ones.
 */
async function bundleAll() {
  const texts = new Map();
  const first = await bundle({entryPoints: [path.join(root, 'src/cli/main.ts')]}, [loadedAtFirstCall]);
  const modules = new Set([...filesIn(first.metafile), ...atFirstCall]);
  const keys = new Set();
  let text;
  for (;;) {
    const missing = [...entries].filter(([name]) => !texts.has(name));
    for (const [name, file] of missing) {
      const {text} = await bundle({entryPoints: [file]}, [takeShared(modules)]);
      texts.set(name, text);
      for (const key of takenKeys(text)) keys.add(key);
    }
    if (missing.length === 0) return texts.set('ion', text);
    text = (await bundle({stdin: startEntry(keys)}, [loadedAtFirstCall])).text;
  }
}

async function bundle(entry, plugins) {
  const {outputFiles, metafile} = await build({
    ...entry,
    absWorkingDir: root,
    outfile: path.join(dist, 'bundle.cjs'),
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    minify: true,
    legalComments: 'none',
    charset: 'ascii',
    supported: {'dynamic-import': false},
    define: {ION_VERSION: JSON.stringify(version)},
    plugins: [presets, ...plugins, lazyBundles, onceOrLazily],
    logLevel: 'warning',
  });
  return {text: outputFiles[0].text, metafile};
}

/** The modules of src/ that a bundle contains. */
function filesIn({outputs}) {
  const [{inputs}] = Object.values(outputs);
  return Object.keys(inputs)
    .filter((name) => name.startsWith('src/') && inputs[name].bytesInOutput > 0)
    .map((name) => path.join(root, name));
}
