import {createHash} from 'node:crypto';
import {
  chmodSync,
  constants,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {IonError} from '../errors.ts';
import {openSession, type Host, type Session} from '../session/session.ts';
import {mayAccess} from '../system/may-access.ts';

export function openScratch(
  host: Host,
  scratch: string,
  config: string,
  folder = 'workspace',
): Promise<Session> {
  return openSession(
    {...host, cwd: path.join(scratch, folder)},
    {for: 'serve', configFile: path.join(scratch, config)},
  );
}

/**
 * Home, or inside another ion the outer one's workspace. access(2) tests it, because a failed write would be reported by
 * the outer ion.
 */
function scratchBase({home = tmpdir(), cwd}: Host): string {
  return [home, cwd].find((folder) => mayAccess(folder, constants.W_OK)) ?? home;
}

/** An index with one entry, of mode 160000: see gitformat-index(5). */
function indexWithSubmodule(name: string): Buffer {
  const entry = Buffer.alloc((62 + name.length + 8) & ~7);
  entry.writeUInt32BE(0o160000, 24);
  entry.writeUInt16BE(name.length, 60);
  entry.write(name, 62);
  const head = Buffer.from('DIRC\0\0\0\x02\0\0\0\x01', 'latin1');
  const content = Buffer.concat([head, entry]);
  return Buffer.concat([content, createHash('sha1').update(content).digest()]);
}

/** A workspace, and files outside it that a run must not reach. Not below the temp folder: that is a write root. */
export function makeScratch(host: Host): string {
  const base = scratchBase(host);
  try {
    const scratch = realpathSync(mkdtempSync(path.join(base, '.ion-doctor-')));
    const workspace = path.join(scratch, 'workspace');
    const git = ['.git/hooks', '.git/objects', '.git/refs'];
    for (const folder of [...git, ...git.map((name) => `below/${name}`), '.vscode', 'tools', 'closed']) {
      mkdirSync(path.join(workspace, folder), {recursive: true});
    }
    const otherGit = ['other/.git/objects', 'other/.git/refs'];
    for (const folder of [
      'sibling',
      'lib',
      'half/objects',
      'half/refs',
      '.git/worktrees/own',
      '.git/objects',
      '.git/refs',
      ...otherGit,
    ])
      mkdirSync(path.join(scratch, 'outer', folder), {recursive: true});
    for (const folder of ['objects', 'refs'])
      mkdirSync(path.join(scratch, 'outer/.git/modules/lib', folder), {recursive: true});
    const files: Record<string, string | Buffer> = {
      outside: '#!/bin/sh\nexit 0\n',
      // This short-lived workspace needs no caches, so it has no toolchains.
      'loopback.toml': '[sandbox]\nnetwork = "loopback"\ntoolchains = []\n',
      'doctor.toml': '[permissions]\ndeny_commands = ["base64 *"]\n[sandbox]\ntoolchains = []\n',
      'denied.toml': `[permissions]\ndenied_paths = [${JSON.stringify(path.join(workspace, 'secret'))}]\n[sandbox]\ntoolchains = []\n`,
      'denied-new.toml': `[permissions]\ndenied_paths = ["*.pem", ${['missing', 'away/missing', 'renamed/missing', 'linked/missing', 'closed/*'].map((name) => JSON.stringify(path.join(workspace, name))).join(', ')}]\n[sandbox]\ntoolchains = []\n`,
      'many.toml': `[sandbox]\ntoolchains = []\nprotect = [${Array.from({length: 300}, (_, n) => `"many${String(n).padStart(3, '0')}"`).join(', ')}]\n`,
      // Port 1 stands for any allowed port: the attacks use other ports.
      'names.toml':
        '[sandbox]\ntoolchains = []\n[sandbox.network]\nallow = ["localhost:1"]\nloopback = true\n',
      // The names are those of named-servers.ts.
      'servers.toml': `[sandbox]\ntoolchains = []\n[sandbox.network]\nallow = ["allowed.example", ${['allowed', 'local', 'machine', 'link'].map((name) => `"${name}.example:80"`).join(', ')}]\n`,
      'private.toml': '[sandbox]\ntmp = "private"\ntoolchains = []\n',
      'read.toml': '[permissions]\nmode = "read"\n',
      'workspace/program': '#!/bin/sh\nexit 0\n',
      'workspace/secret': 'secret\n',
      'workspace/key.pem': 'secret\n',
      'workspace/other.pem': 'secret\n',
      'workspace/closed/file': 'secret\n',
      'workspace/.git/config': '[core]\n\tbare = false\n',
      'workspace/.git/HEAD': 'ref: refs/heads/main\n',
      'workspace/.git/hooks/pre-commit': '#!/bin/sh\n',
      'workspace/tools/hook': '#!/bin/sh\n',
      'workspace/below/.git/HEAD': 'ref: refs/heads/main\n',
      'workspace/below/.git/config': '',
      'workspace/below/.git/hooks/pre-commit': '#!/bin/sh\n',
      // A repository with a submodule in lib/ and a worktree in own/. sibling/ and tree/ name the git folders of these two as
      // their own.
      'outer/.git/HEAD': 'ref: refs/heads/main\n',
      'outer/.git/modules/lib/HEAD': 'ref: refs/heads/main\n',
      'outer/.git/modules/lib/config': '[core]\n\tworktree = ../../../lib\n',
      'outer/.git/worktrees/own/HEAD': 'ref: refs/heads/own\n',
      'outer/.git/worktrees/own/gitdir': `${path.join(scratch, 'outer/own/.git')}\n`,
      'outer/.git/worktrees/own/commondir': '../..\n',
      'outer/own/.git': `gitdir: ${path.join(scratch, 'outer/.git/worktrees/own')}\n`,
      'outer/lib/.git': 'gitdir: ../.git/modules/lib\n',
      'outer/.git/config': '[core]\n\tbare = false\n',
      'outer/.git/index': indexWithSubmodule('lib'),
      'outer/other/.git/HEAD': 'ref: refs/heads/main\n',
      'outer/other/.git/config': '[core]\n\tfsmonitor = evil\n',
      // A repository whose `.git` is a link.
      'linked/store/HEAD': 'ref: refs/heads/main\n',
      'linked/store/config': '[core]\n\tbare = false\n',
      'linked/store/hooks/pre-commit': '#!/bin/sh\n',
      'outer/half/config': '[core]\n\tfsmonitor = evil\n',
      'outer/sibling/.git': 'gitdir: ../.git/modules/lib\n',
      'tree/.git': 'gitdir: ../outer/.git/worktrees/own\n',
    };
    for (const folder of [
      'outer/own',
      'outer/.git/hooks',
      'tree',
      ...['hooks', 'objects', 'refs'].map((name) => `linked/store/${name}`),
    ])
      mkdirSync(path.join(scratch, folder), {recursive: true});
    for (const [file, text] of Object.entries(files)) writeFileSync(path.join(scratch, file), text);
    for (const file of ['outside', 'workspace/program']) chmodSync(path.join(scratch, file), 0o755);
    symlinkSync('store', path.join(scratch, 'linked/.git'));
    symlinkSync('../../tools/hook', path.join(workspace, '.git/hooks/pre-push'));
    return scratch;
  } catch (cause) {
    throw new IonError(`cannot make a scratch folder in ${base}: ${(cause as Error).message}`, {
      help: 'the self-test needs a writable folder outside the temp folder: set HOME to one, or start ion in one',
      cause,
    });
  }
}
