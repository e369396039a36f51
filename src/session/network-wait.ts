import {isTable, type NetworkSetting} from '../config/network/network-table.ts';
import type {Settings} from '../config/settings.ts';
import {asksForNetwork} from '../policy/network-approval.ts';
import type {Machine} from '../sandbox/machine.ts';
import {enforcedBy, type ProtectionId} from '../sandbox/matrix/matrix.ts';
import type {SessionFlags} from './session-flags.ts';

/** The approval setting that asks for this run's network. Undefined if the network does not wait for approval. */
export function networkAsksOf({
  settings,
  configuredNetwork,
}: {
  readonly settings: Settings;
  readonly configuredNetwork: Settings['network'];
}): Settings['approval'] | undefined {
  return settings.network === configuredNetwork ? undefined : settings.approval;
}

/**
 * Reports whether the network waits for an approval. Where nothing enforces that, ion asks before the command runs
 * (policy/action-classes.ts).
 */
export function waitsForApproval(
  {approval, network, sandbox}: Settings,
  machine: Machine,
  flags: SessionFlags,
): boolean {
  if (flags.networkApproved || flags.grant?.network || sandbox.value === false || opensNothing(network.value))
    return false;
  return asksForNetwork(approval.value) && confines(machine).network;
}

/** No approval of the network as a whole opens anything: each name is a question of its own. */
function opensNothing(network: NetworkSetting): boolean {
  return network === 'none' || (isTable(network) && network.allow.length === 0 && !network.loopback);
}

/** The restrictions that this machine's kernel enforces, whatever program a command runs. */
export function confines({features}: Machine): {readonly writes: boolean; readonly network: boolean} {
  const enforced = enforcedBy(features);
  const isEnforced = (id: ProtectionId): boolean =>
    enforced.some((one) => one.id === id && one.level === 'enforced');
  return {writes: isEnforced('writes'), network: isEnforced('network')};
}
