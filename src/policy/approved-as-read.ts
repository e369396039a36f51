import type {ApprovalMode} from '../config/settings.ts';
import type {Decision} from './decision.ts';
import {modeOutcome} from '../config/approval-table.ts';

/**
 * Was it approved only because it reads? These are: the built-in tools, the verbs of a trusted workspace, and the read column of
 * a row that asks or denies what a shell does. Such a command runs with read mode's boundary.
 */
export function isApprovedAsRead(
  {effect, reason, scope}: Pick<Decision, 'effect' | 'reason' | 'scope'>,
  approval: ApprovalMode,
): boolean {
  if (effect !== 'allow') return false;
  if (reason === 'builtin_allow' || reason === 'workspace_allow') return true;
  return reason === 'mode_allow' && scope === 'read' && modeOutcome(approval, 'shell') !== 'allow';
}
