import {readFileSync} from 'node:fs';
import path from 'node:path';

/** The declarations in the package: src/library/types.ts, and the only exported function. */
export const declarations = 'lib/index.d.cts';

/** Makes the text of that file from the source. */
export function publicTypes(root: string): string {
  const source = readFileSync(path.join(root, 'src/library/types.ts'), 'utf8');
  const types = source.slice(source.indexOf('import type'));
  return `/// <reference types="node" />\n// Made from src/library/types.ts by "npm run readme".\n${types}\nexport declare const open: Open;\n`;
}
