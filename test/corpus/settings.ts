import {kernels} from '../conformance/kernels.ts';
import {identities, type Identity} from '../harness/identity.ts';
import type {SettingName} from './row.ts';

/** The user who runs ion, and the kernel features available to this user. */
export interface Setting {
  readonly name: SettingName;
  readonly as: Identity;
  /** Rules for deny-syscalls; none: the kernel as it is. */
  readonly deny: readonly string[];
}

const withoutNamespaces = kernels.find(({id}) => id === 'no namespaces')!.deny;

export const settings: readonly Setting[] = identities.flatMap((as): Setting[] => [
  {name: as.name, as, deny: []},
  {name: `${as.name}, no namespaces`, as, deny: withoutNamespaces},
]);
