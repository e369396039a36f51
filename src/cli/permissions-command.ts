import path from 'node:path';
import {openContext, type Host} from '../session/context.ts';
import {permissionState} from '../session/decider.ts';
import {runPermissions} from './permissions.ts';
import type {CliResult} from './result.ts';

/** `ion permissions`: what decides here, and what was decided last. */
export async function permissionsCommand(host: Host, json: boolean): Promise<CliResult> {
  const state = await permissionState(await openContext(host, {judgeOnly: true, showsTrust: true}));
  const home = host.environment['HOME'];
  return runPermissions({state, json, ...(home ? {auditFolder: path.join(home, '.ion/audit')} : {})});
}
