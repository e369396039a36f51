import fs, {readFileSync} from 'node:fs';
import path from 'node:path';

const source = path.join(path.dirname(import.meta.dirname), 'src');

/**
 * Modules of Node that stand in thirty files. esbuild would require each in each file, and make a copy of node:path there, a
 * getter for each name: together a millisecond and a half of a start.
 */
const requiredOnce = /^node:(?:path|fs)$/;

/** Only these: a getter that no file names would load a module (`fs.promises`), or warn that it is deprecated (`fs.F_OK`). */
function importedNames(builtin) {
  const files = fs.readdirSync(source, {recursive: true}).filter((name) => name.endsWith('.ts'));
  const imports = new RegExp(`^import (?:\\w+, )?\\{([^}]*)\\} from '${builtin}';`, 'gm');
  const names = files.flatMap((name) =>
    [...readFileSync(path.join(source, name), 'utf8').matchAll(imports)].flatMap(([, list]) =>
      list.split(',').map((one) => one.trim()),
    ),
  );
  return [...new Set(names)].filter((name) => name !== '' && !name.startsWith('type '));
}

/** node:tty loads node:net and the streams, 4 ms. Most runs print nothing of ion's own, and never ask. */
const lazyTty = `export const isatty = (descriptor) => require('node:tty').isatty(descriptor);`;

export const onceOrLazily = {
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
