// Bundles the CLI: one CommonJS file with the code that every `ion run` needs, and one file for each module that the source
// imports lazily (the bash parser, commander, TOML ...). A plain run never reads the latter. CommonJS starts faster than ESM
// on Node 20 (`npm run bench`). Bundles share no code: code that two of them need is in both, which costs disk space, not time.
import {build} from 'esbuild';
import {createHash} from 'node:crypto';
import fs, {mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
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

/**
 * Modules of Node that stand in thirty files. esbuild would require each in each file, and make a copy of node:path there, a
 * getter for each name: together a millisecond and a half of a start.
 */
const requiredOnce = /^node:(?:path|fs)$/;

/** Only these: a getter that no file names would load a module (`fs.promises`), or warn that it is deprecated (`fs.F_OK`). */
function importedNames(builtin) {
  const files = fs
    .readdirSync(path.join(root, 'src'), {recursive: true})
    .filter((name) => name.endsWith('.ts'));
  const imports = new RegExp(`^import (?:\\w+, )?\\{([^}]*)\\} from '${builtin}';`, 'gm');
  const names = files.flatMap((name) =>
    [...readFileSync(path.join(root, 'src', name), 'utf8').matchAll(imports)].flatMap(([, list]) =>
      list.split(',').map((one) => one.trim()),
    ),
  );
  return [...new Set(names)].filter((name) => name !== '' && !name.startsWith('type '));
}

/** node:tty loads node:net and the streams, 4 ms. Most runs print nothing of ion's own, and never ask. */
const lazyTty = `export const isatty = (descriptor) => require('node:tty').isatty(descriptor);`;

const onceOrLazily = {
  name: 'once-or-lazily',
  setup({onResolve, onLoad}) {
    onResolve({filter: requiredOnce}, ({kind, path: name, importer}) =>
      kind === 'import-statement' && !importer.includes('/node_modules/')
        ? {path: name, namespace: 'once'}
        : undefined,
    );
    onLoad({filter: /.*/, namespace: 'once'}, ({path: name}) => ({
      contents: `const all = require('${name}');
        export default all;
        export const {${importedNames(name).join(', ')}} = all;`,
    }));
    onResolve({filter: /^node:tty$/}, ({kind, importer}) =>
      kind === 'import-statement' && importer.endsWith('/cli/paint.ts')
        ? {path: 'node:tty', namespace: 'lazily'}
        : undefined,
    );
    onLoad({filter: /.*/, namespace: 'lazily'}, () => ({contents: lazyTty}));
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
    plugins: [presets, ...(name === 'ion' ? [loadedAtFirstCall] : []), lazyBundles, onceOrLazily],
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
