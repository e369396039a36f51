import {changeGrant, readGrants, shownGrants, type GrantsLocation} from '../../config/grants-file.ts';
import {addRule, freeId, isSameRule, readRules, removeRule, ruleFile, type StoredRule} from './rule-files.ts';

export type NewRule = Omit<StoredRule, 'id'>;

/** The places where ion stores rules: for every workspace of the user, or for one. */
export interface RuleStore {
  /** The file, as the user would write it. */
  readonly shown: string;
  readonly workspace?: string;
  list(): readonly StoredRule[];
  /** Replaces a rule with the same meaning. */
  add(rule: NewRule): StoredRule;
  /** Returns whether there was such a rule. */
  remove(id: string): boolean;
}

export function ruleStore(home: string, workspace?: string): RuleStore {
  if (workspace !== undefined) return workspaceRules({home, workspace});
  const file = ruleFile(home);
  return {
    shown: file.shown,
    list: () => readRules(file),
    add: (rule) => addRule(file, rule),
    remove: (id) => removeRule(file, id),
  };
}

/** Rules as a setting of the workspace's grants. The file has no ids: they follow from the rules and their order. */
function workspaceRules(place: GrantsLocation): RuleStore {
  const list = (): readonly StoredRule[] => {
    const {permissions} = readGrants(place).document as {permissions?: {rules?: readonly NewRule[]}};
    return withIds(permissions?.rules ?? []);
  };
  const change = (update: (rules: readonly NewRule[]) => readonly NewRule[]): void =>
    changeGrant(place, 'permissions.rules', (rules = []) => update(rules as readonly NewRule[]));
  return {
    shown: shownGrants(place),
    workspace: place.workspace,
    list,
    add(rule) {
      change((rules) => [...rules.filter((one) => !isSameRule(one, rule)), rule]);
      return list().find((one) => isSameRule(one, rule))!;
    },
    remove(id) {
      if (!list().some((rule) => rule.id === id)) return false;
      change((rules) => {
        const at = withIds(rules).findIndex((rule) => rule.id === id);
        return rules.filter((_, index) => index !== at);
      });
      return true;
    },
  };
}

function withIds(rules: readonly NewRule[]): readonly StoredRule[] {
  return rules.reduce<StoredRule[]>((done, rule) => [...done, {...rule, id: freeId(rule, done)}], []);
}
