import {fingerprint} from '../action-fingerprint.ts';
import {isHard} from '../reasons.ts';
import {nothing, subject, type Stage} from './stage.ts';

const consecutiveDenials = 3;
const totalDenials = 20;

/** Stage 7: a repeated soft denial becomes a question to the user, if one can be asked. Hard denials never do. */
export const denialFallback: Stage = {
  name: 'denial_fallback',
  look(action, {session, interactive, workspace}, standing) {
    if (standing?.effect !== 'deny' || isHard(standing.reason)) return nothing;
    const count = session?.denials.get(fingerprint(action, workspace)) ?? {consecutive: 0, total: 0};
    const saw = [`denied ${count.consecutive} times in a row, ${count.total} in all`];
    if (!interactive || (count.consecutive < consecutiveDenials && count.total < totalDenials)) return {saw};
    return {
      saw,
      verdict: {
        effect: 'ask',
        reason: 'denial_fallback',
        message: `${subject(action)} was denied ${count.total} times`,
        ruleRefs: standing.ruleRefs,
        scope: standing.scope,
        ...(standing.span ? {span: standing.span} : {}),
      },
    };
  },
};
