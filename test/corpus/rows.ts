import type {Row} from './row.ts';
import {cRows, goRows, javaRows, rustRows} from './rows/compiled.ts';
import {gitRows} from './rows/git.ts';
import {readRows} from './rows/reading.ts';
import {nodeRows, pythonRows} from './rows/scripts.ts';
import {shellRows} from './rows/shell.ts';

export const rows: readonly Row[] = [
  ...gitRows,
  ...nodeRows,
  ...pythonRows,
  ...cRows,
  ...rustRows,
  ...javaRows,
  ...goRows,
  ...shellRows,
  ...readRows,
];
