import {existsSync, readdirSync} from 'node:fs';
import type {Rule} from '../config/settings.ts';

/** What cannot be looked at is not called empty: reading the rules says what is wrong with it. */
function isEmpty(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

/** Rules that ion keeps itself; most users have none, and then nothing is loaded to read them. */
export async function storedRules(home: string, workspace: string): Promise<readonly Rule[]> {
  if (!existsSync(`${home}/.ion/rules.json`) && isEmpty(`${home}/.ion/workspaces`)) return [];
  const {loadRules} = await import('./rule-files.ts');
  return loadRules(home, workspace);
}
