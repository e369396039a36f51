import {locationOf} from '../../config/read/origin.ts';
import {IonError, quoted} from '../../errors.ts';
import {adviceFor} from '../../system/system-errors.ts';
import type {Root} from '../plan/roots.ts';
import type {Addon, RulesetSpec} from './native.ts';
import {bitsOf, fileRights, grants, netRights, scopes} from './rights.ts';

/**
 * The Landlock ruleset for these roots on a kernel with this ABI. It handles every right that the kernel knows, so each
 * is denied unless a root grants it. Pure.
 *
 * TCP rights are handled only when the network is off. There are no port rules, so handling them denies all TCP.
 */
export function rulesetSpec(roots: readonly Root[], abi: number, network: 'none' | 'full'): RulesetSpec {
  const handledFs = bitsOf(fileRights, abi);
  return {
    handledFs,
    handledNet: network === 'none' ? bitsOf(netRights, abi) : 0,
    scoped: bitsOf(scopes, abi),
    rules: roots.map((root) => ({
      path: root.path,
      access: grants[root.grant] & handledFs,
      optional: root.optional,
      canonical: root.canonical ?? false,
    })),
  };
}

interface RulesetFailure {
  readonly step: 'create' | 'open' | 'rule';
  readonly path: string;
  readonly message: string;
}

/** Asks the kernel for the ruleset of `roots`. The caller closes the descriptor. */
export function createRuleset(
  addon: Addon,
  spec: RulesetSpec,
  roots: readonly Root[],
): {fd: number; skipped: string[]} {
  try {
    return addon.createRuleset(spec);
  } catch (error) {
    const {step, path, message} = error as RulesetFailure;
    if (step !== 'open' && step !== 'rule') {
      throw new IonError(`cannot create a Landlock ruleset: ${message}`, {cause: error});
    }
    const origin = roots.find((root) => root.path === path && root.origin)?.origin;
    throw new IonError(`cannot grant ${quoted(path)}: ${message}`, {
      at: origin && locationOf(origin),
      help:
        adviceFor(error) ??
        'every root must exist and be reachable; see "ion config" for where it comes from',
      cause: error,
    });
  }
}
