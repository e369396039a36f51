// Compiles the toolchain presets into the bundle: `import {presets} from 'ion:presets'` gives the content of
// profiles/toolchains/ as data, so that ion does not parse TOML at start. A key that the presets' README does not list
// fails the build.
import {readdirSync, readFileSync} from 'node:fs';
import path from 'node:path';
import {parse} from 'smol-toml';

const folder = path.join(import.meta.dirname, 'toolchains');

const text = (value) => typeof value === 'string' && value !== '';
const part = (value) => typeof value === 'string';
const flag = (value) => value === true;
const listOf = (each) => (value) => Array.isArray(value) && value.every(each);
const names = listOf(text);
const homePath = (value) => text(value) && value.startsWith('~/') && !value.split('/').includes('..');
const variable = (value) => text(value) && /^[A-Za-z_]\w*$/.test(value);
const conditions = {when: names, unless: names};

/** For each kind of row: the required keys and the optional keys. */
const rows = {
  install: {must: {on: homePath, read: listOf(homePath), reason: text}, may: {}},
  read: {must: {path: homePath, reason: text}, may: {variable, ...conditions}},
  cache: {
    must: {variable, folder: text, default: homePath, reason: text},
    may: {value: text, join: text, offline_value: text, any_case: flag, offline: listOf(part), ...conditions},
  },
  set: {must: {variable, value: text, reason: text}, may: {join: text, closed_network: flag, ...conditions}},
  expected: {
    must: {path: (value) => homePath(value) || (text(value) && value.startsWith('/')), reason: text},
    may: {},
  },
  closed: {must: {path: homePath, reason: text}, may: {}},
};
const scalars = {tools: text, programs: names, markers: names};

/** Every preset, by name. Throws for a file with an unknown key. */
export function readPresets() {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.toml'))
    .sort()
    .map((file) => presetOf(file, parse(readFileSync(path.join(folder, file), 'utf8'))));
}

export function presetOf(file, raw) {
  for (const key of Object.keys(raw)) {
    if (!(key in scalars) && !(key in rows)) throw new Error(`${file}: unknown key ${key}`);
  }
  check(file, raw, {must: scalars, may: rowLists});
  const tables = Object.entries(rows).map(([kind, fields]) => {
    for (const row of raw[kind] ?? []) check(`${file}: [[${kind}]]`, row, fields);
    return [kind, raw[kind] ?? []];
  });
  return {...raw, ...Object.fromEntries(tables), name: path.basename(file, '.toml')};
}

const rowLists = Object.fromEntries(Object.keys(rows).map((kind) => [kind, Array.isArray]));

function check(where, table, {must, may}) {
  for (const key of Object.keys(must)) {
    if (!(key in table)) throw new Error(`${where}: ${key} is missing`);
  }
  for (const [key, value] of Object.entries(table)) {
    const isRight = must[key] ?? may[key];
    if (!isRight) throw new Error(`${where}: unknown key ${key}`);
    if (!isRight(value)) throw new Error(`${where}: ${key} cannot be ${JSON.stringify(value)}`);
  }
}

/** The modules that the source may import: all presets, or only the rows that every start needs. */
const modules = {
  'ion:presets': () => ({presets: readPresets()}),
  'ion:install-folders': () => ({installFolders: readPresets().flatMap(({install}) => install)}),
};

/** The esbuild plugin. */
export const presets = {
  name: 'presets',
  setup({onResolve, onLoad}) {
    onResolve({filter: /^ion:/}, ({path: name}) => ({path: name, namespace: 'presets'}));
    onLoad({filter: /.*/, namespace: 'presets'}, ({path: name}) => ({
      contents: Object.entries(modules[name]())
        .map(([exported, value]) => `export const ${exported} = ${JSON.stringify(value)};`)
        .join('\n'),
      loader: 'js',
    }));
  },
};
