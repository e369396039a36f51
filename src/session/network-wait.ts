import type {Settings} from '../config/settings.ts';
import {asksForNetwork} from '../policy/network-approval.ts';
import type {Machine} from '../sandbox/machine.ts';
import {enforcedBy, type ProtectionId} from '../sandbox/matrix/matrix.ts';
import type {RunPlan} from './run-plan.ts';
import type {SessionFlags} from './session-flags.ts';

/** The approval setting by which the network of this run waits for an answer; undefined where it does not wait. */
export function networkAsksOf({settings, configuredNetwork}: RunPlan): Settings['approval'] | undefined {
  return settings.network === configuredNetwork ? undefined : settings.approval;
}

/** Where nothing keeps a command from the network it is asked for before it runs (policy/action-classes.ts). */
export function waitsForApproval(
  {approval, network, sandbox}: Settings,
  machine: Machine,
  flags: SessionFlags,
): boolean {
  if (flags.networkApproved || flags.grant?.network || sandbox.value === false || network.value === 'none')
    return false;
  return asksForNetwork(approval.value) && confines(machine).network;
}

/** What the kernel of this machine keeps of a command's own doing. */
export function confines({features}: Machine): {readonly writes: boolean; readonly network: boolean} {
  const enforced = enforcedBy(features);
  const isEnforced = (id: ProtectionId): boolean =>
    enforced.some((one) => one.id === id && one.level === 'enforced');
  return {writes: isEnforced('writes'), network: isEnforced('network')};
}
