import {hasView, type Features} from './features.ts';
import {fileRows} from './file-rows.ts';
import {hiddenRows} from './hidden-rows.ts';
import {namedRows} from './named-rows.ts';
import {networkRows} from './network-rows.ts';
import {isolationRows} from './isolation-rows.ts';
import {streamRows} from './stream-rows.ts';
import {treeRows} from './tree-rows.ts';
import type {Enforcement, Row, Way} from './ways.ts';

/**
 * The enforcement matrix: the mechanism behind each protection. The plan, the sandbox facts, `ion doctor`, the conformance run
 * and the documents all use this table.
 */
export const protections = [
  ...fileRows,
  ...namedRows,
  ...networkRows,
  ...isolationRows,
  ...hiddenRows,
  ...streamRows,
  ...treeRows,
] as const;

export type ProtectionId = (typeof protections)[number]['id'];

/** A protection as this machine enforces it. */
export interface Enforced {
  readonly id: ProtectionId;
  readonly level: Enforcement;
  readonly by: string;
}

/** The protections that hold on a machine with these features. Pure. */
export function enforcedBy(features: Features): Enforced[] {
  return protections.map((protection: Row) => {
    const way = protection.ways.find(({needs}) => isMet(needs, features));
    return {
      id: protection.id as ProtectionId,
      level: way?.level ?? 'not',
      by: way?.by ?? '',
    };
  });
}

function isMet(needs: Way['needs'], features: Features): boolean {
  return (
    features.landlock >= (needs.landlock ?? 0) &&
    (!needs.seccomp || features.seccomp) &&
    (!needs.namespaces || features.namespaces !== 'none') &&
    (!needs.pidNamespace || features.pidNamespace) &&
    (!needs.view || hasView(features)) &&
    (!needs.listener || features.listener) &&
    (!needs.heardWrites || !features.unheardWrites) &&
    (!needs.noListener || !features.listener) &&
    (!needs.pidfdGetfd || features.pidfdGetfd) &&
    (!needs.launcher || features.launcher === true) &&
    (!needs.notRoot || features.root !== true) &&
    (!needs.ownerlessEtc || features.ownerlessEtc === true) &&
    (!needs.seatbelt || features.seatbelt === true)
  );
}
