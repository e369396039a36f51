// Bundles the tests' TypeScript programs into files that Node 20 can run. The files are below build/, so that they find
// their packages. They are removed when this process ends.
import {spawnSync} from 'node:child_process';
import {rmSync} from 'node:fs';
import path from 'node:path';
import {build} from 'esbuild';
import {presets} from '../profiles/compile.mjs';
import {installForTests} from './install.mjs';

const root = path.dirname(import.meta.dirname);

/** CommonJS packages in a bundle need this where no folder of packages exists. */
const banner = {
  js: "import {createRequire as makeRequire} from 'node:module'; const require = makeRequire(import.meta.url);",
};

/**
 * Bundles these files of test/ and returns the paths of the bundles in the same order. Two concurrent runs do not conflict.
 * `isWhole`: with their packages, for a machine that has none.
 */
export async function bundled(sources, {isWhole = false} = {}) {
  const outdir = path.join(root, `build/test-${process.pid}`);
  process.on('exit', () => rmSync(outdir, {recursive: true, force: true}));
  await build({
    entryPoints: sources.map((source) =>
      typeof source === 'string'
        ? {in: path.join(root, 'test', source), out: source.replace(/\.ts$/, '')}
        : {in: `together:${source.name}`, out: source.name},
    ),
    outdir,
    outExtension: {'.js': '.mjs'},
    bundle: true,
    ...(isWhole ? {packages: 'bundle', banner} : {packages: 'external'}),
    platform: 'node',
    format: 'esm',
    plugins: [presets, together(sources), ...(isWhole ? [] : [execaIn(outdir)])],
    target: 'node20',
    sourcemap: 'inline',
    define: {ION_VERSION: '"0.0.0-test"'},
    logLevel: 'warning',
  });
  return sources.map((source) =>
    path.join(outdir, typeof source === 'string' ? source.replace(/\.ts$/, '.mjs') : `${source.name}.mjs`),
  );
}

/** execa in one file for all bundles: from its hundred files, each test process would load it for a tenth of a second. */
function execaIn(folder) {
  const outfile = path.join(folder, 'execa.mjs');
  const entryPoints = [path.join(root, 'node_modules/execa/index.js')];
  return {
    name: 'execa',
    setup: ({onStart, onResolve}) => {
      onStart(async () => {
        await build({entryPoints, outfile, bundle: true, platform: 'node', format: 'esm', banner});
      });
      onResolve({filter: /^execa$/}, () => ({path: outfile, external: true}));
    },
  };
}

/** The given files of test/ that import the module, directly or through other files. */
export async function importing(module, files) {
  const {metafile} = await build({
    entryPoints: files.map((file) => path.join(root, 'test', file)),
    absWorkingDir: root,
    outdir: path.join(root, 'build'),
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    plugins: [presets],
    write: false,
    metafile: true,
    logLevel: 'warning',
  });
  const importers = new Set(
    Object.values(metafile.outputs)
      .filter(({inputs}) => `test/${module}` in inputs)
      .map(({entryPoint}) => path.relative('test', entryPoint)),
  );
  return files.filter((file) => importers.has(file));
}

/** A module for each `{name, files}`, which imports the files. */
function together(sources) {
  const filesOf = new Map(sources.map(({name, files}) => [name, files]));
  return {
    name: 'together',
    setup: ({onResolve, onLoad}) => {
      onResolve({filter: /^together:/}, ({path: name}) => ({
        path: name.slice('together:'.length),
        namespace: 'together',
      }));
      onLoad({filter: /.*/, namespace: 'together'}, ({path: name}) => ({
        contents: filesOf
          .get(name)
          .map((file) => `import ${JSON.stringify(`./${file}`)};`)
          .join('\n'),
        resolveDir: path.join(root, 'test'),
      }));
    },
  };
}

/**
 * Runs one of them on a copy of the built package, with the arguments of this process. This process ends with its exit
 * code.
 */
export async function runOnPackage(source) {
  const [program] = await bundled([source]);
  const {status} = spawnSync(process.execPath, [program, ...process.argv.slice(2)], {
    cwd: root,
    stdio: 'inherit',
    env: {...process.env, ION_TEST_PACKAGE: process.env.ION_TEST_PACKAGE ?? (await installForTests(root))},
  });
  process.exitCode = status ?? 1;
}
