import path from 'node:path';
import type {Host} from '../../session/host.ts';
import {openPlan} from '../../session/run-plan.ts';
import {attachTerminalSession} from '../../session/decider.ts';
import {permissionState} from '../../session/permission-state.ts';
import {openGrants} from '../../session/ask/grants.ts';
import {runPermissions} from './permissions-listing.ts';
import type {CliResult} from '../result.ts';

/** `ion permissions`: the settings and rules that decide here, and the latest decisions. */
export async function permissionsCommand(host: Host, json: boolean): Promise<CliResult> {
  const plan = await openPlan(host, {for: 'preview', showsTrust: true});
  const {home} = host;
  const grants = openGrants(home, plan.config.workspace);
  if (!plan.config.lock) await attachTerminalSession(grants, home);
  const state = {...(await permissionState(plan)), session: grants.state};
  return runPermissions({state, json, ...(home ? {auditFolder: path.join(home, '.ion/audit')} : {})});
}
