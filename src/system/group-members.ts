import {readFileSync} from 'node:fs';
import {attempt} from './attempt.ts';

/** The texts of /etc/passwd and /etc/group. */
export interface Accounts {
  readonly passwd: string;
  readonly group: string;
}

/**
 * Reports whether the owner of a file is the only member of its group, as where each user has a group of its own. Root does not count: it
 * may write everywhere. False where these files do not list the group.
 */
export function isOwnersAlone(
  {uid, gid}: {readonly uid: number; readonly gid: number},
  accounts = attempt(readAccounts),
): boolean {
  if (accounts === undefined) return false;
  const users = fieldsOf(accounts.passwd).map(([name, , id, primary]) => ({name, id, primary}));
  const group = fieldsOf(accounts.group).find(([, , id]) => id === String(gid));
  if (!group) return false;
  const listed = (group[3] ?? '').split(',').filter((name) => name !== '');
  const members = [
    ...users.filter(({primary}) => primary === String(gid)).map(({id}) => id),
    // A name that is not in the file is another user's.
    ...listed.map((name) => users.find((user) => user.name === name)?.id),
  ];
  return members.every((id) => id === '0' || id === String(uid));
}

function readAccounts(): Accounts {
  return {passwd: readFileSync('/etc/passwd', 'utf8'), group: readFileSync('/etc/group', 'utf8')};
}

function fieldsOf(text: string): string[][] {
  return text.split('\n').map((line) => line.split(':'));
}
