import type {ApprovalMode} from '../config/settings.ts';
import type {Decision} from './decision.ts';
import {modeOutcome} from '../config/approval-table.ts';

/**
 * Reports whether a command was approved only because it reads. It is then a built-in tool, a verb of a trusted workspace, or
 * approved by the read column of a row that does not allow shell commands. Such a command runs with read mode's boundary.
 */
export function isApprovedAsRead(
  {effect, reason, scope}: Pick<Decision, 'effect' | 'reason' | 'scope'>,
  approval: ApprovalMode,
): boolean {
  if (effect !== 'allow') return false;
  if (reason === 'builtin_allow' || reason === 'workspace_allow') return true;
  return reason === 'mode_allow' && scope === 'read' && modeOutcome(approval, 'shell') !== 'allow';
}
