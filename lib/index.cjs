'use strict';
// The library: `open` loads the rest. Its bundles in dist/ are those of the command, each a function of its exports, `require`
// and module (build.mjs); bin/ion loads them the same way, with a code cache, which a start needs and a session does not.
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
