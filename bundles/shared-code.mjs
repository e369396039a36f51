// Code that the bundle of a start and the bundles beside it both need is in the first alone. The others take it from there.
// Their imports of such a module become calls `take('<module>:<name>')`, and the start's bundle exports a table of all names that
// any of them takes. So a module exists once in a process, and `ion check` or a decision about any program loads little more
// than what it has to itself.
import {readFileSync} from 'node:fs';
import path from 'node:path';

const source = path.join(path.dirname(import.meta.dirname), 'src');
const keyOf = (file, name) => `@${path.relative(source, file).replace(/\.ts$/, '')}:${name}`;
const takenKey = /(["'`])@([\w/-]+):(\w+)\1/g;

/** The values that a module exports, by name: the source has neither default exports nor re-exported lists. */
function exportedNames(file) {
  const text = readFileSync(file, 'utf8');
  const declared = text.matchAll(/^export (?:async )?(?:function\*?|const|class) (\w+)/gm);
  const listed = text.matchAll(/^export \{([^}]*)\}/gm);
  return [
    ...[...declared].map(([, name]) => name),
    ...[...listed].flatMap(([, list]) => list.split(',').map((one) => one.trim())),
  ];
}

/** For a bundle beside the start's. `modules`: the files that the start's bundle has. */
export function takeShared(modules) {
  return {
    name: 'take-shared',
    setup({onResolve, onLoad}) {
      onResolve({filter: /^\./}, ({kind, path: imported, resolveDir}) => {
        const file = path.resolve(resolveDir, imported);
        return kind === 'import-statement' && modules.has(file)
          ? {path: file, namespace: 'shared', sideEffects: false}
          : undefined;
      });
      onLoad({filter: /.*/, namespace: 'shared'}, ({path: file}) => {
        const names = exportedNames(file).map(
          (name) => `export const ${name} = /* @__PURE__ */ take('${keyOf(file, name)}');`,
        );
        return {contents: `import {take} from 'shared-code';\n${names.join('\n')}`, resolveDir: source};
      });
      onResolve({filter: /^shared-code$/}, () => ({path: 'shared-code', namespace: 'start'}));
      onLoad({filter: /.*/, namespace: 'start'}, () => ({
        contents: `const {shared} = require('./ion'); export const take = (key) => shared[key];`,
      }));
      onResolve({filter: /^\.\/ion$/}, ({namespace}) =>
        namespace === 'start' ? {path: './ion', external: true} : undefined,
      );
    },
  };
}

/** The keys that the text of a bundle takes. */
export function takenKeys(text) {
  return [...text.matchAll(takenKey)].map(([, , module, name]) => `@${module}:${name}`);
}

/**
 * The entry point of the start's bundle: `main`, and the table of what the others take.
 * @param {Set<string>} keys
 */
export function startEntry(keys) {
  const rows = [...keys].sort().map((key, index) => {
    const [module, name] = key.slice(1).split(':');
    return {module, name, local: `shared${index}`, key};
  });
  const imports = rows.map(({module, name, local}) => `import {${name} as ${local}} from './${module}.ts';`);
  const table = rows.map(({key, local}) => `'${key}': ${local}`);
  return {
    contents: `export {main} from './cli/main.ts';\n${imports.join('\n')}\nexport const shared = {${table.join(', ')}};`,
    resolveDir: source,
    loader: 'ts',
    sourcefile: 'start.ts',
  };
}
