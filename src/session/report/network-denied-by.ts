import {matchesName} from '../../config/network/match-network.ts';
import {isTable} from '../../config/network/network-table.ts';
import {quoted} from '../../errors.ts';
import type {Violation} from '../../sandbox/violation.ts';
import {isNetworkRule, networkTargetOf} from './network-target.ts';
import type {RefusedBy, RefusingSettings} from './refusal.ts';

/** The entry of `deny` that refused a name: an entry of `allow` for it would change nothing. Pure. */
export function networkDeniedBy(
  {rule, detail}: Pick<Violation, 'rule' | 'detail'>,
  {network}: Pick<RefusingSettings, 'network'>,
): RefusedBy | undefined {
  if (!isNetworkRule(rule) || !network || !isTable(network.value)) return undefined;
  const {name} = networkTargetOf(detail);
  const entry = network.value.deny.find(({value}) => matchesName(value, name));
  return (
    entry && {
      why: `denied by sandbox.network.deny ${quoted(entry.value)}`,
      origin: entry.origin,
      help: 'remove the entry from sandbox.network.deny to allow it',
    }
  );
}

/** Where the table is that refused it. */
export function networkTableOrigin(
  {rule}: Pick<Violation, 'rule'>,
  {network}: Pick<RefusingSettings, 'network'>,
): RefusedBy['origin'] | undefined {
  const isRefused = isNetworkRule(rule) && rule !== 'network-relay';
  return isRefused && network && isTable(network.value) ? network.origin : undefined;
}
