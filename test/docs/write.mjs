// `npm run readme`: put the tables that the code makes into the documents, and the library's types into lib/.
import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {pathToFileURL} from 'node:url';
import {bundled} from '../bundle.mjs';

const root = path.dirname(path.dirname(import.meta.dirname));
const [tables, types] = await bundled(['docs/tables.ts', 'library/public-types.ts']);
const {withTables} = await import(pathToFileURL(tables).href);
const documents = ['README.md', ...readdirSync(path.join(root, 'docs')).map((name) => `docs/${name}`)];
for (const file of documents.map((name) => path.join(root, name))) {
  writeFileSync(file, withTables(readFileSync(file, 'utf8')));
}
const {declarations, publicTypes} = await import(pathToFileURL(types).href);
writeFileSync(path.join(root, declarations), publicTypes(root));
