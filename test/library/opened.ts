import path from 'node:path';
import {pathToFileURL} from 'node:url';
import type {TestContext} from 'node:test';
import type {Open, OpenOptions, Session} from '../../src/library/types.ts';
import {own} from '../harness/identity.ts';
import {packageRoot} from '../harness/package.ts';
import {makeScratch, type Files, type Scratch} from '../harness/scratch.ts';

/** `open` as programs load it: from the installed package. */
export const {open} = (await import(pathToFileURL(path.join(packageRoot, 'lib/index.mjs')).href)) as {
  readonly open: Open;
};

export interface Opened extends Scratch {
  readonly session: Session;
}

/** Opens a session in a scratch folder, and closes it after the test. */
export async function opened(
  t: Pick<TestContext, 'after'>,
  files: Files = {},
  options: OpenOptions = {},
): Promise<Opened> {
  const scratch = makeScratch(t, own, files);
  const {PATH, LANG} = process.env;
  const session = await open({cwd: scratch.work, env: {HOME: scratch.home, PATH, LANG}, ...options});
  t.after(() => session.close());
  return {...scratch, session};
}
