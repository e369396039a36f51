import {quoted} from '../../errors.ts';
import type {HookVerdict} from '../decision.ts';
import {stricter} from '../../config/approval-table.ts';
import {nothing, ref, subject, type Stage} from './stage.ts';

const codes = {deny: 'hook_deny', ask: 'hook_ask', allow: 'hook_allow'} as const;
const words = {deny: 'denied', ask: 'needs approval', allow: 'allowed'} as const;

/** Stage 4: PreToolUse hooks. The strictest verdict applies. An allow is one source among others, not an override. */
export const hooks: Stage = {
  name: 'hooks',
  look(action, {hookVerdicts = []}) {
    const strictest = hookVerdicts.reduce<HookVerdict | undefined>(
      (best, next) => (best && stricter(best.effect, next.effect) === best.effect ? best : next),
      undefined,
    );
    if (!strictest) return nothing;
    const {effect, because, origin, command} = strictest;
    return {
      saw: hookVerdicts.map((hook) => `hook ${quoted(hook.command)}: ${hook.effect}`),
      verdict: {
        effect,
        reason: codes[effect],
        message: `${words[effect]}: ${subject(action)} by a hook${because === '' ? '' : `: ${quoted(because, 2000)}`}`,
        ruleRefs: [ref('hooks', command, origin)],
        scope: action.tool,
      },
    };
  },
};
