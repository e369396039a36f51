import {IonError, isIonError} from '../../errors.ts';
import type {Action, Decision, DenialCount, SessionState} from '../../policy/decision.ts';
import {rememberedRule, type Reply} from './question.ts';
import type {Remembrance, SessionStore} from './session-store.ts';

/** The memory of a session: answers and soft denials. Rules in files outlive it. */
export interface Grants {
  readonly state: SessionState;
  /** How long an answer for the session lasts, in words. */
  lasts(): string;
  /** Uses the memory of the terminal session from now on: its entries apply, and new entries are stored in it. */
  attach(store: SessionStore): void;
  /**
   * Counts a final decision. Three soft denials in a row, or twenty in all, lead to a question. Returns why the count
   * could not be stored.
   */
  count(decision: Decision): IonError | undefined;
  /**
   * Remembers an answer for as long as it applies. `persisted` is null if nothing had to be written. It is false if
   * the rule could not be written: then the answer applies to the session, and `problem` is the reason.
   */
  remember(reply: Reply, decision: Decision, action: Action): Promise<Remembered>;
}

export interface Remembered {
  readonly persisted: boolean | null;
  readonly problem?: IonError;
  /** The rule that was written, and its file. */
  readonly rule?: {readonly id: string; readonly shown: string};
  /** The file in which a name is now listed. */
  readonly listedIn?: string;
}

export function openGrants(home: string | undefined, workspace: string): Grants {
  const grants = new Set<string>();
  const denials = new Map<string, DenialCount>();
  let store: SessionStore | undefined;
  const keep = (update: (before: Remembrance, now: number) => Remembrance): IonError | undefined => {
    try {
      store?.change((before) => update(before, Date.now()));
      return undefined;
    } catch (cause) {
      if (!isIonError(cause)) throw cause;
      return new IonError(`this applies to this command only: ${cause.message}`, {cause});
    }
  };
  return {
    state: {grants, rules: [], denials},
    lasts: () => (store ? 'in this terminal session, for at most 8 hours' : 'until this ion process ends'),
    attach(opened) {
      if (store) return;
      store = opened;
      const before = store.read();
      for (const [key] of before.grants) grants.add(key);
      for (const [print, count] of before.denials) denials.set(print, count);
    },
    count({effect, hard, fingerprint}) {
      if (effect === 'ask' || hard) return undefined;
      const {consecutive, total} = denials.get(fingerprint) ?? {consecutive: 0, total: 0};
      if (effect === 'allow' && consecutive === 0) return undefined;
      const count =
        effect === 'allow' ? {consecutive: 0, total} : {consecutive: consecutive + 1, total: total + 1};
      denials.set(fingerprint, count);
      return keep((before, now) => {
        const since = before.denials.find(([print]) => print === fingerprint)?.[2] ?? now;
        const others = before.denials.filter(([print]) => print !== fingerprint);
        return {...before, denials: [...others, [fingerprint, count, since]]};
      });
    },
    async remember(reply, {grantKey, networkName}, action) {
      if (reply === 'no' || reply === 'once') return {persisted: null};
      grants.add(grantKey);
      const written =
        reply === 'session'
          ? {persisted: null}
          : networkName === undefined
            ? await persist(home, reply === 'workspace' ? workspace : undefined, action)
            : await listName(home, workspace, networkName);
      if (written.persisted === true) return written;
      const problem = keep((before, now) => ({
        ...before,
        grants: [...before.grants.filter(([key]) => key !== grantKey), [grantKey, now]],
      }));
      return problem ? {...written, problem} : written;
    },
  };
}

/** Makes an answer last. Where that fails, it applies to the session. */
async function lasting(failure: string, write: () => Promise<Remembered>): Promise<Remembered> {
  try {
    return await write();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const text = `${failure}, so the answer applies to the session: ${why}`;
    return {persisted: false, problem: new IonError(text, {cause: error})};
  }
}

/** As `ion allow` does. */
function listName(home: string | undefined, workspace: string, name: string): Promise<Remembered> {
  return lasting('the name could not be listed', async () => {
    const {addGrant, shownGrants} = await import('../../config/grants-file.ts');
    if (home === undefined) throw new IonError('HOME is not set');
    addGrant({home, workspace}, 'sandbox.network.allow', name);
    return {persisted: true, listedIn: shownGrants({home, workspace})};
  });
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
      problem: new IonError('this answer cannot become a rule: it applies to the session'),
    };
  }
  return lasting('the rule could not be written', async () => {
    // Loaded on demand: this is rare, and its hash slows down a start by two milliseconds.
    const {ruleStore} = await import('./rule-stores.ts');
    const store = ruleStore(home, workspace);
    const {id} = store.add(rule);
    return {persisted: true, rule: {id, shown: store.shown}};
  });
}
