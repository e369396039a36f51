import {existsSync, mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import type {TestContext} from 'node:test';
import type {AppendFunction} from '../../../src/sandbox/linux/native.ts';
import {appendWithoutAddon} from '../../../src/audit/append.ts';

/** A new folder for one test. */
export function scratch(context: TestContext): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'ion-audit-'));
  context.after(() => rmSync(folder, {recursive: true, force: true}));
  return folder;
}

export const addonFile = path.resolve('native/build/Release/ion.node');

function nativeAppend(): AppendFunction | undefined {
  if (!existsSync(addonFile)) return undefined;
  const loaded = {exports: {} as {auditAppend?: AppendFunction}};
  process.dlopen(loaded, addonFile);
  return loaded.exports.auditAppend;
}

const native = nativeAppend();
if (!native && process.env['ION_TEST_MUST_RUN'] === '1') throw new Error('the addon is not built');

/** Both implementations of append, for one suite. */
export const appends: readonly (readonly [name: string, append: AppendFunction])[] = [
  ['without the addon', appendWithoutAddon],
  ...(native ? [['native', native] as const] : []),
];

export const large = 1 << 30;

export function line(number: number): string {
  return `{"n":${number},"type":"test"}`;
}
