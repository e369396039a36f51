import path from 'node:path';
import {openContext, type Host} from '../../session/run-plan.ts';
import {attachTerminalSession, permissionState} from '../../session/decider.ts';
import {openGrants} from '../../session/ask/grants.ts';
import {runPermissions} from './permissions-listing.ts';
import type {CliResult} from '../result.ts';

/** `ion permissions`: what decides here, and what was decided last. */
export async function permissionsCommand(host: Host, json: boolean): Promise<CliResult> {
  const context = await openContext(host, {judgeOnly: true, showsTrust: true});
  const {home} = host;
  const grants = openGrants(home, context.config.workspace);
  if (!context.config.lock) await attachTerminalSession(grants, home);
  const state = {...(await permissionState(context)), session: grants.state};
  return runPermissions({state, json, ...(home ? {auditFolder: path.join(home, '.ion/audit')} : {})});
}
