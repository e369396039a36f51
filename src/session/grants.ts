import {IonError} from '../errors.ts';
import type {Action, Decision, DenialCount, SessionState} from '../policy/decision.ts';
import {rememberedRule, type Reply} from './question.ts';

/** What a session remembers: answers and soft denials. It dies with the process; rules in files do not. */
export interface Grants {
  readonly state: SessionState;
  /** Count a decision that stands: three soft denials in a row, or twenty, lead to a question. */
  count(decision: Decision): void;
  /**
   * Remember an answer as long as it says. `persisted` is null where nothing was to be written, and false when the
   * rule could not be: then the answer holds for the session, and `problem` says why.
   */
  remember(reply: Reply, decision: Decision, action: Action): Promise<Remembered>;
}

export interface Remembered {
  readonly persisted: boolean | null;
  readonly problem?: IonError;
}

export function openGrants(home: string | undefined, workspace: string): Grants {
  const grants = new Set<string>();
  const denials = new Map<string, DenialCount>();
  return {
    state: {grants, rules: [], denials},
    count({effect, hard, fingerprint}) {
      if (effect === 'ask' || hard) return;
      const {consecutive, total} = denials.get(fingerprint) ?? {consecutive: 0, total: 0};
      denials.set(
        fingerprint,
        effect === 'allow' ? {consecutive: 0, total} : {consecutive: consecutive + 1, total: total + 1},
      );
    },
    async remember(reply, {fingerprint}, action) {
      if (reply === 'no' || reply === 'once') return {persisted: null};
      grants.add(fingerprint);
      if (reply === 'session') return {persisted: null};
      return persist(home, reply === 'workspace' ? workspace : undefined, action);
    },
  };
}

async function persist(
  home: string | undefined,
  workspace: string | undefined,
  action: Action,
): Promise<Remembered> {
  const rule = rememberedRule(action);
  if (!rule || home === undefined) {
    return {
      persisted: false,
      problem: new IonError('no rule can be written for this answer: it holds for the session'),
    };
  }
  try {
    // Rare, and its hash costs a start two milliseconds.
    const {addRule, ruleFile} = await import('./rule-files.ts');
    addRule(ruleFile(home, workspace), rule);
    return {persisted: true};
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return {
      persisted: false,
      problem: new IonError(`the rule could not be written, the answer holds for the session: ${why}`, {
        cause: error,
      }),
    };
  }
}
