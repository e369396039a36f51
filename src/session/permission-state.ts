import {whyBound} from '../config/loosening.ts';
import {networkKey} from '../config/network/network-table.ts';
import {describeOrigin} from '../config/read/origin.ts';
import type {Lock} from '../config/settings.ts';
import type {PermissionState} from '../policy/decision.ts';
import {openLinks} from '../system/links.ts';
import {confines} from './network-wait.ts';
import {loadPathMatcher} from './path-matcher.ts';
import type {RunPlan} from './run-plan.ts';

/** The facts that policy needs to decide about the commands of this plan. */
export async function permissionState(plan: RunPlan): Promise<PermissionState> {
  const {host, settings, rules, inputs, config, sandboxed, machine, isSilent} = plan;
  const matchesPath = await loadPathMatcher(settings);
  return {
    settings: {...settings, rules, network: plan.configuredNetwork},
    confines: confines(machine),
    boundary: boundaryOf(plan),
    cwd: host.cwd,
    home: inputs.home ?? '/nonexistent',
    workspace: config.workspace,
    workspaceTrusted: config.trust.state === 'trusted',
    interactive: false,
    ...(config.lock ? {locked: lockedAt(config.lock)} : {}),
    taskRestrictions: {tools: [], commands: []},
    systemProgramFolders: ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin', '/opt/homebrew/bin'],
    execChecked: sandboxed && machine.features.listener,
    ...(matchesPath ? {matchesPath} : {}),
    openLinks: () => openLinks(host.cwd, isSilent),
  };
}

/**
 * Identifies the settings under which an answer for the session was given. With other settings it is another
 * question.
 */
function boundaryOf({backend, settings, configuredNetwork}: RunPlan): string {
  const {mode, sandbox, workspace, readRoots, writeRoots, unixSockets, unprotect} = settings;
  const lists = [readRoots, writeRoots, unixSockets, unprotect].map((list) => list.map(({value}) => value));
  return JSON.stringify([
    backend,
    mode.value,
    sandbox.value,
    workspace.value,
    networkKey(configuredNetwork.value),
    ...lists,
  ]);
}

function lockedAt(lock: Lock): NonNullable<PermissionState['locked']> {
  return {at: describeOrigin(lock.origin), help: whyBound('an answer', lock)!.help};
}
