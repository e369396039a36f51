import {accessSync, constants, realpathSync, statSync} from 'node:fs';
import path from 'node:path';
import {findRepositoryTop} from '../../config/read/start-folder.ts';
import {absolutePath} from '../../shell/paths.ts';
import {attempt} from '../../system/attempt.ts';
import {readSmallFile} from '../../system/small-file.ts';
import type {Session} from '../session.ts';
import type {NamedPathsInput, NamedRemote} from './named-paths-refused.ts';

/** Gathers the facts that decide whether the sandbox will refuse a path that a command names. The command starts in `cwd`. */
export function namedPathsInput(
  session: Pick<Session, 'host' | 'config' | 'facts' | 'isSilent'>,
  cwd = session.facts.cwd,
): NamedPathsInput {
  const {HOME: home = '/'} = session.host.environment;
  const {backend, readRoots, writeRoots, withheld, protected: protectedFiles} = session.facts;
  const remotes = (): NamedRemote[] => {
    // git takes a relative one from the top of the repository, wherever it is called.
    const top = findRepositoryTop(session.config.workspace) ?? session.config.workspace;
    return foldersIn(textOf(path.join(top, '.git/config'))).map((requested) => ({
      requested,
      path: absolutePath(requested, top),
    }));
  };
  const roots = [...readRoots, ...writeRoots];
  const realOf = (file: string): string | undefined =>
    session.isSilent(file) ? undefined : readableAt(file);
  return {
    cwd,
    home,
    roots,
    withheld,
    writeRoots,
    protected: protectedFiles.existing,
    realOf,
    isFolder: (file) => !session.isSilent(file) && isFolder(file),
    listsTop: backend !== 'landlock',
    remotes,
  };
}

/** The remotes of a git config that are folders. */
function foldersIn(config: string): string[] {
  return config
    .split(/^[ \t]*(?=\[)/m)
    .filter((section) => section.startsWith('[remote '))
    .flatMap((section) =>
      [...section.matchAll(/^[ \t]*url[ \t]*=[ \t]*(\.{0,2}\/.*)$/gm)].map(([, url]) => url!.trim()),
    );
}

function isFolder(file: string): boolean {
  return attempt(() => statSync(file).isDirectory()) ?? false;
}

function readableAt(file: string): string | undefined {
  try {
    accessSync(file, constants.R_OK);
    return realpathSync.native(file);
  } catch {
    return undefined;
  }
}

/** Reads a file that an earlier command may have made. A FIFO would block, so only a regular file is read. */
export function textOf(file: string): string {
  try {
    return readSmallFile({path: file, shown: file})?.text ?? '';
  } catch {
    return '';
  }
}
