import {existsSync} from 'node:fs';
import type {Lock, Rule} from '../../config/settings.ts';

/**
 * The user's rules that ion stores. Most users have none, and then nothing is loaded to read them. Under a lock they
 * still deny, but no longer allow.
 */
export async function storedRules(home: string, lock: Lock | undefined): Promise<readonly Rule[]> {
  if (!existsSync(`${home}/.ion/rules.json`)) return [];
  const {loadRules} = await import('./rule-files.ts');
  const rules = loadRules(home);
  return lock ? rules.flatMap(forbidding) : rules;
}

function forbidding(rule: Rule): Rule[] {
  return rule.effect === 'allow' ? [] : [{...rule, trusted: false}];
}
