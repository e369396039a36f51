import {existsSync, readdirSync} from 'node:fs';
import type {Lock, Rule} from '../../config/settings.ts';

interface Kept {
  readonly workspace: string;
  readonly lock: Lock | undefined;
}

/** What cannot be looked at is not called empty: reading the rules says what is wrong with it. */
function isEmpty(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

/**
 * Rules that ion keeps itself; most users have none, and then nothing is loaded to read them. Under a lock they still forbid, and
 * allow nothing.
 */
export async function storedRules(home: string, {workspace, lock}: Kept): Promise<readonly Rule[]> {
  if (!existsSync(`${home}/.ion/rules.json`) && isEmpty(`${home}/.ion/workspaces`)) return [];
  const {loadRules} = await import('./rule-files.ts');
  const rules = loadRules(home, workspace);
  return lock ? rules.flatMap(forbidding) : rules;
}

function forbidding(rule: Rule): Rule[] {
  return rule.effect === 'allow' ? [] : [{...rule, trusted: false}];
}
