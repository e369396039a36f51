import {
  first,
  starts,
  any,
  both,
  not,
  matches,
  rest,
  noUndo,
  fromBackup,
  forcedRef,
  type DestructiveRow,
} from './destructive-row.ts';
import {hasOption, operandsOf} from '../subcommands.ts';

/** Git history, branches and uncommitted changes. */
export const gitRows: Readonly<Record<string, readonly DestructiveRow[]>> = {
  git: [
    {
      what: 'throws away uncommitted changes',
      when: both(first('reset'), any('--hard', '--merge', '--keep')),
      scope: 'uncommitted changes in the work tree',
      advice: 'git stash first; commits left behind are in git reflog',
    },
    {
      what: 'deletes untracked files',
      when: both(first('clean'), any('-f', '--force'), not(any('-n', '--dry-run'))),
      scope: 'untracked files',
      advice: 'git clean -n lists them; git stash -u keeps them',
    },
    {
      what: 'overwrites the history of a remote branch',
      when: both(
        first('push'),
        (words) =>
          hasOption(words, '-f', '--force', '--force-with-lease', '--force-if-includes', '--mirror') ||
          matches(forcedRef)(words),
      ),
      scope: 'remote branch',
      outside: true,
      advice: 'the old commits are in the reflog of whoever had them: push them again',
    },
    {
      what: 'deletes a remote branch or tag',
      when: both(
        first('push'),
        (words) => hasOption(words, '--delete', '-d', '--prune') || matches(/^:./)(words),
      ),
      scope: 'remote branch',
      outside: true,
      advice: 'push the commit again under that name',
    },
    {
      what: 'deletes a branch that may not be merged',
      when: both(
        first('branch'),
        (words) =>
          hasOption(words, '-D') || (hasOption(words, '-d', '--delete') && hasOption(words, '-f', '--force')),
      ),
      scope: 'local branch',
      advice: 'git reflog has its last commit; git branch NAME COMMIT brings it back',
    },
    {
      what: 'rewrites the history of the repository',
      when: first('filter-branch', 'filter-repo'),
      scope: 'all commits',
      advice: 'refs/original has the old refs until they are deleted; better: work on a clone',
    },
    {
      what: 'forgets where branches have been',
      when: both(first('reflog'), (words) => ['expire', 'delete'].includes(words[1]?.text ?? '')),
      scope: 'reflog',
      advice: 'commits without a branch cannot be found again after the next gc',
    },
    {
      what: 'deletes commits that no branch has',
      when: both(first('gc'), matches(/^--prune=(now|all)/)),
      scope: 'unreachable commits',
      advice: fromBackup,
    },
    {
      what: 'deletes objects that no branch has',
      when: both(first('prune'), not(any('-n', '--dry-run'))),
      scope: 'unreachable commits',
      advice: fromBackup,
    },
    {
      what: 'throws away stashed changes',
      when: both(first('stash'), (words) => ['drop', 'clear'].includes(words[1]?.text ?? '')),
      scope: 'stash',
      advice: 'git fsck --unreachable finds the commits of a dropped stash for a while',
    },
    {
      what: 'overwrites uncommitted changes in files',
      when: both(
        first('checkout'),
        (words) => hasOption(words, '-f', '--force') || words.some(({text}) => text === '--' || text === '.'),
      ),
      scope: 'uncommitted changes in the work tree',
      advice: 'git stash first',
    },
    {
      what: 'overwrites uncommitted changes in files',
      when: both(
        first('restore'),
        (words) => !hasOption(words, '--staged', '-S') || hasOption(words, '--worktree', '-W'),
      ),
      scope: 'uncommitted changes in the work tree',
      advice: 'git stash first',
    },
    {
      what: 'throws away uncommitted changes',
      when: both(first('switch'), any('-f', '--force', '--discard-changes')),
      scope: 'uncommitted changes in the work tree',
      advice: 'git stash first',
    },
    {
      what: 'deletes tracked files',
      when: both(first('rm'), not(any('--cached', '-n', '--dry-run'))),
      paths: rest,
      advice: 'git restore --staged --worktree brings back what was committed',
    },
    {
      what: 'deletes a work tree with uncommitted changes',
      when: both(first('worktree'), starts('worktree', 'remove'), any('-f', '--force')),
      paths: (words) => operandsOf(words).slice(2),
      advice: noUndo,
    },
    {
      what: 'deletes a ref',
      when: both(first('update-ref'), any('-d', '--delete')),
      scope: 'ref',
      advice: 'git reflog may have its last commit',
    },
    {
      what: 'deletes a tag',
      when: both(first('tag'), any('-d', '--delete')),
      scope: 'tag',
      advice: 'git tag NAME COMMIT brings it back',
    },
  ],
};
