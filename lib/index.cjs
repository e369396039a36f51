'use strict';
// The library. `open` loads the rest from the bundles in dist/, which `ion` uses too. Each bundle is a function of its exports,
// `require` and module (build.mjs). bin/ion adds a code cache, because it must start fast. A session is opened only once.
const {readFileSync} = require('node:fs');
const path = require('node:path');
const {Script} = require('node:vm');

const root = path.dirname(__dirname);
const bundles = new Map();

function load(name) {
  const known = bundles.get(name);
  if (known) return known.exports;
  const filename = path.join(root, 'dist', `${name}.cjs`);
  const module = {exports: {}};
  bundles.set(name, module);
  const bundle = new Script(readFileSync(filename, 'latin1'), {filename}).runInThisContext();
  bundle(module.exports, (id) => (id.startsWith('./') ? load(id.slice(2)) : require(id)), module);
  return module.exports;
}

/** See index.d.ts. */
exports.open = async (options) => load('library-open').openLibrary(root, options);
