// `npm run readme`: put the enforcement table into README.md.
import {readFileSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {pathToFileURL} from 'node:url';
import {bundled} from '../bundle.mjs';

const root = path.dirname(path.dirname(import.meta.dirname));
const [tables] = await bundled(['docs/tables.ts']);
const {withTable} = await import(pathToFileURL(tables).href);
const readme = path.join(root, 'README.md');
writeFileSync(readme, withTable(readFileSync(readme, 'utf8')));
