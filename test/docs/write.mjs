// `npm run readme`: writes the generated tables into the documents.
import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {pathToFileURL} from 'node:url';
import {bundled} from '../bundle.mjs';

const root = path.dirname(path.dirname(import.meta.dirname));
const [tables] = await bundled(['docs/tables.ts']);
const {withTables} = await import(pathToFileURL(tables).href);
const documents = ['README.md', ...readdirSync(path.join(root, 'docs')).map((name) => `docs/${name}`)];
for (const file of documents.map((name) => path.join(root, name))) {
  writeFileSync(file, withTables(readFileSync(file, 'utf8')));
}
