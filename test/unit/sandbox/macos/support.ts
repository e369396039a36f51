import path from 'node:path';
import {makeProfile, partsOf, type Profile} from '../../../../src/sandbox/macos/seatbelt-profile.ts';
import type {SeatbeltPlan} from '../../../../src/sandbox/macos/seatbelt-plan.ts';
import {readProfile, type Rule} from '../../../sbpl/evaluate.ts';

export const home = '/Users/u';
export const workspace = '/Users/u/ws';
export const sharedTemp = '/private/var/folders/ab/xyz/T';

/** A plan as planRoots and findProtected make it on a Mac, in write mode. */
export const writePlan: SeatbeltPlan = {
  tag: '0123456789abcdef0123456789abcdef',
  network: 'none',
  report: 'denials',
  read: ['/Users/u/.nvm/versions/node/v22', '/Users/u/.gitconfig', '/private/etc/hosts', '/private/etc/ssl'],
  view: [],
  noExecute: [],
  list: ['/private/etc'],
  write: [workspace, sharedTemp],
  append: [],
  localSockets: [workspace],
  namedSockets: [],
  protect: [
    `${workspace}/.git/hooks`,
    `${workspace}/.git/config.worktree`,
    `${workspace}/.ion`,
    `${workspace}/.vscode`,
    `${workspace}/packages/app/.mcp.json`,
  ],
  denied: [
    {path: '/Users/u/.ssh', glob: false},
    {path: `${workspace}/secret/key`, glob: false},
    {path: `${workspace}/**/.env`, glob: true},
  ],
};

export const readPlan: SeatbeltPlan = {
  ...writePlan,
  view: [workspace, sharedTemp],
  noExecute: [`${sharedTemp}/ion-1`, workspace, sharedTemp],
  write: [`${sharedTemp}/ion-1`],
  localSockets: [`${sharedTemp}/ion-1`],
};

/** From the working copy: tests are bundled elsewhere, and run in the repository. */
export const readPart = partsOf(path.resolve('.'));

export function rulesOf({text, parameters}: Profile): Rule[] {
  return readProfile(text, Object.fromEntries(parameters));
}

export function rulesFor(plan: SeatbeltPlan): Rule[] {
  return rulesOf(makeProfile(plan, readPart));
}
