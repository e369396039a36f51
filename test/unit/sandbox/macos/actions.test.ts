import {test} from 'node:test';
import assert from 'node:assert/strict';
import type {SeatbeltPlan} from '../../../../src/sandbox/macos/seatbelt-plan.ts';
import type {Action} from '../../../sbpl/actions.ts';
import {may} from '../../../sbpl/may.ts';
import {readPlan, rulesFor, sharedTemp, workspace as ws, writePlan} from './support.ts';

interface Table {
  readonly name: string;
  readonly plan: SeatbeltPlan;
  readonly allowed: readonly Action[];
  readonly denied: readonly Action[];
}

const internet = {ip: '192.0.2.1', port: 443};
const loopback = {ip: '127.0.0.1', port: 3000};

const tables: Table[] = [
  {
    name: 'write mode',
    plan: writePlan,
    allowed: [
      {do: 'read', path: `${ws}/file`},
      {do: 'list', path: ws},
      {do: 'create', path: `${ws}/new`},
      {do: 'mkdir', path: `${ws}/.git`},
      {do: 'create', path: `${ws}/.git/objects/ab/cd`},
      {do: 'create', path: `${ws}/.git/config`},
      {do: 'rename', path: `${ws}/.git/index.lock`, to: `${ws}/.git/index`, replaces: true},
      {do: 'rename', path: `${ws}/a`, to: `${ws}/sub/a`},
      {do: 'rename', path: `${ws}/a`, to: `${sharedTemp}/a`},
      {do: 'remove', path: `${ws}/file`},
      {do: 'link', path: `${ws}/a`, to: `${ws}/b`},
      {do: 'symlink', path: `${ws}/link`},
      {do: 'chmod', path: `${ws}/file`},
      {do: 'utimes', path: `${ws}/file`},
      {do: 'setxattr', path: `${ws}/file`},
      {do: 'exec', path: `${ws}/build/program`},
      {do: 'create', path: `${sharedTemp}/x`},
      {do: 'exec', path: '/bin/bash'},
      {do: 'exec', path: '/usr/bin/git'},
      {do: 'exec', path: '/opt/homebrew/Cellar/node/22/bin/node'},
      {do: 'exec', path: '/Users/u/.nvm/versions/node/v22/bin/node'},
      {do: 'exec', path: '/Library/Developer/CommandLineTools/usr/bin/clang'},
      {do: 'exec', path: '/Applications/Xcode.app/Contents/Developer/usr/bin/git'},
      {do: 'map', path: '/usr/lib/libobjc.A.dylib'},
      {do: 'read', path: '/'},
      {do: 'read', path: '/private/var/select/sh'},
      {do: 'read', path: '/private/var/db/xcode_select_link'},
      {do: 'read', path: '/private/etc/hosts'},
      {do: 'list', path: '/private/etc'},
      {do: 'read', path: '/Users/u/.gitconfig'},
      {do: 'stat', path: '/Users/u'},
      {do: 'read', path: '/dev/urandom'},
      {do: 'write', path: '/dev/null'},
      {do: 'write', path: '/dev/tty'},
      {do: 'write', path: '/dev/fd/1'},
      {do: 'new-pty'},
      {do: 'fork'},
      {do: 'signal', target: 'same-sandbox'},
      {do: 'look-up', service: 'com.apple.system.opendirectoryd.libinfo'},
      {do: 'bind-unix', path: `${ws}/s`},
      {do: 'connect-unix', path: `${ws}/s`},
      {do: 'rename', path: `${ws}/s`, to: `${ws}/t`, vnodeType: 'SOCKET'},
    ],
    denied: [
      // Outside the roots.
      {do: 'create', path: '/Users/u/x'},
      {do: 'create', path: '/Users/u/ws-evil/x'},
      {do: 'write', path: '/Users/u/.zshrc'},
      {do: 'write', path: '/private/etc/hosts'},
      {do: 'truncate', path: '/Users/u/other/file'},
      {do: 'mkdir', path: '/Users/u/new'},
      {do: 'remove', path: '/Users/u/other/file'},
      {do: 'chmod', path: '/Users/u/other/file'},
      {do: 'chown', path: '/usr/local/bin/x'},
      {do: 'utimes', path: '/opt/homebrew/x'},
      {do: 'setxattr', path: '/Users/u/.nvm/versions/node/v22/x'},
      {do: 'create', path: '/opt/homebrew/bin/x'},
      {do: 'create', path: '/usr/local/bin/x'},
      {do: 'create', path: '/Applications/Evil.app'},
      {do: 'create', path: '/Users/u/Library/LaunchAgents/x.plist'},
      {do: 'rename', path: `${ws}/a`, to: '/Users/u/a'},
      {do: 'rename', path: '/Users/u/other/a', to: `${ws}/a`},
      {do: 'link', path: '/Users/u/other/a', to: `${ws}/a`},
      {do: 'link', path: '/usr/bin/git', to: `${ws}/git`},
      {do: 'link', path: `${ws}/a`, to: '/Users/u/a'},
      {do: 'read', path: '/Users/u/.ssh/id_ed25519'},
      {do: 'read', path: '/Users/u/.aws/credentials'},
      {do: 'list', path: '/Users/u'},
      {do: 'list', path: '/Users'},
      {do: 'read', path: '/System/Volumes/Data/Users/u/.aws/credentials'},
      {do: 'read', path: '/private/etc/master.passwd'},
      {do: 'read', path: '/private/etc/sudoers'},
      {do: 'read', path: '/private/var/root/x'},
      {do: 'exec', path: '/Users/u/other/program'},
      {do: 'exec', path: '/Applications/Docker.app/Contents/Resources/bin/docker'},
      // Write roots themselves cannot be moved.
      {do: 'rename', path: ws, to: `${sharedTemp}/ws`},
      {do: 'remove', path: ws},
      // Keychain, Apple events, pasteboard, launching outside.
      {do: 'read', path: '/Users/u/Library/Keychains/login.keychain-db'},
      {do: 'read', path: '/Library/Keychains/System.keychain'},
      {do: 'look-up', service: 'com.apple.securityd.xpc'},
      {do: 'look-up', service: 'com.apple.SecurityServer'},
      {do: 'look-up', service: 'com.apple.pasteboard.1'},
      {do: 'look-up', service: 'com.apple.coreservices.launchservicesd'},
      {do: 'look-up', service: 'com.apple.windowserver.active'},
      {do: 'apple-event'},
      {do: 'open-app'},
      // Processes and privileges.
      {do: 'signal', target: 'others'},
      {do: 'set-user-id', path: `${ws}/file`},
      {do: 'mknod', path: `${ws}/node`},
      {do: 'read', path: '/dev/disk0'},
      {do: 'write', path: '/dev/disk0'},
      {do: 'write', path: '/dev/ttys003'},
      // Network.
      {do: 'connect', ...internet},
      {do: 'connect', ...loopback},
      {do: 'bind', ...loopback},
      {do: 'accept', port: 3000},
      {do: 'connect-unix', path: '/private/var/run/mDNSResponder'},
      {do: 'connect-unix', path: '/private/var/run/docker.sock'},
      {do: 'connect-unix', path: '/Users/u/.docker/run/docker.sock'},
      {do: 'connect-unix', path: `${ws}/docker.sock`},
      {do: 'connect-unix', path: `${sharedTemp}/vscode-ipc.sock`},
      {do: 'link', path: `${sharedTemp}/s`, to: `${ws}/s`, vnodeType: 'SOCKET'},
      {do: 'rename', path: `${sharedTemp}/s`, to: `${ws}/s`, vnodeType: 'SOCKET'},
      {do: 'bind-unix', path: '/Users/u/s'},
      {do: 'socket', domain: 'AF_VSOCK'},
      {do: 'socket', domain: 'AF_SYSTEM'},
    ],
  },
  {
    name: 'auto-run files',
    plan: writePlan,
    allowed: [
      {do: 'read', path: `${ws}/.git/hooks/pre-commit`},
      {do: 'create', path: `${ws}/.gitignore`},
      {do: 'create', path: `${ws}/.vscode-extra`},
      {do: 'create', path: `${ws}/sub/.vscode/tasks.json`},
      {do: 'create', path: `${ws}/packages/app/index.js`},
      {do: 'rename', path: `${ws}/packages/other`, to: `${ws}/packages/another`},
    ],
    denied: [
      {do: 'create', path: `${ws}/.git/hooks/pre-commit`},
      {do: 'write', path: `${ws}/.git/hooks/pre-commit`},
      {do: 'chmod', path: `${ws}/.git/hooks/pre-commit`},
      {do: 'remove', path: `${ws}/.git/hooks`},
      {do: 'create', path: `${ws}/.ion/config.toml`},
      {do: 'mkdir', path: `${ws}/.ion`},
      {do: 'symlink', path: `${ws}/.ion`},
      {do: 'create', path: `${ws}/.git/config.worktree`},
      // A folder whose name only begins like a protected one is not protected.
      {do: 'rename', path: `${ws}/evil`, to: `${ws}/.vscode`},
      {do: 'rename', path: `${ws}/evil`, to: `${ws}/.git/hooks`, replaces: true},
      // The rename trick: the parent folder is renamed, changed, and renamed back.
      {do: 'rename', path: `${ws}/.git`, to: `${ws}/git`},
      {do: 'rename', path: `${ws}/.git`, to: `${sharedTemp}/git`},
      {do: 'rename', path: `${ws}/packages`, to: `${ws}/p`},
      {do: 'rename', path: `${ws}/packages/app`, to: `${ws}/packages/a`},
      {do: 'remove', path: `${ws}/.git`},
      // Through another name of the same file.
      {do: 'link', path: `${ws}/.git/hooks/pre-commit`, to: `${ws}/h`},
      {do: 'link', path: `${ws}/h`, to: `${ws}/.git/hooks/pre-commit`},
      // On most Macs these are the same files.
      {do: 'create', path: `${ws}/.ION/config.toml`},
      {do: 'mkdir', path: `${ws}/.Ion`},
      {do: 'create', path: `${ws}/.GIT/hooks/pre-commit`},
      {do: 'create', path: `${ws}/.git/Hooks/pre-commit`},
      {do: 'mkdir', path: `${ws}/.VSCode`},
      {do: 'rename', path: `${ws}/.Git`, to: `${ws}/git`},
      {do: 'create', path: '/users/U/WS/.ion/config.toml'},
    ],
  },
  {
    name: 'denied paths',
    plan: writePlan,
    allowed: [
      {do: 'read', path: `${ws}/secret/other`},
      {do: 'read', path: `${ws}/.environment`},
      {do: 'read', path: `${ws}/.env.example`},
    ],
    denied: [
      {do: 'read', path: `${ws}/secret/key`},
      {do: 'stat', path: `${ws}/secret/key`},
      {do: 'write', path: `${ws}/secret/key`},
      {do: 'exec', path: `${ws}/secret/key`},
      {do: 'read', path: `${ws}/Secret/KEY`},
      {do: 'rename', path: `${ws}/secret`, to: `${ws}/open`},
      {do: 'rename', path: `${ws}/secret/key`, to: `${ws}/open`},
      {do: 'link', path: `${ws}/secret/key`, to: `${ws}/open`},
      {do: 'read', path: `${ws}/.env`},
      {do: 'read', path: `${ws}/a/b/.env`},
      {do: 'read', path: `${ws}/a/.ENV`},
      {do: 'rename', path: `${ws}/a/.env`, to: `${ws}/open`},
    ],
  },
  {
    name: 'read mode',
    plan: readPlan,
    allowed: [
      {do: 'read', path: `${ws}/file`},
      {do: 'exec', path: '/bin/ls'},
      {do: 'exec', path: '/opt/homebrew/bin/git'},
      {do: 'write', path: '/dev/null'},
      {do: 'create', path: `${sharedTemp}/ion-1/x`},
      {do: 'read', path: `${sharedTemp}/x`},
    ],
    denied: [
      {do: 'exec', path: `${ws}/program`},
      {do: 'map', path: `${ws}/library`},
      {do: 'exec', path: `${sharedTemp}/program`},
      {do: 'exec', path: `${sharedTemp}/ion-1/copy`},
      {do: 'create', path: `${ws}/x`},
      {do: 'write', path: `${ws}/file`},
      {do: 'remove', path: `${ws}/file`},
      {do: 'chmod', path: `${ws}/file`},
      {do: 'utimes', path: `${ws}/file`},
      {do: 'rename', path: `${ws}/a`, to: `${sharedTemp}/ion-1/a`},
      {do: 'link', path: `${ws}/a`, to: `${sharedTemp}/ion-1/a`},
      {do: 'create', path: `${sharedTemp}/x`},
      {do: 'remove', path: `${sharedTemp}/ion-1`},
    ],
  },
  {
    name: 'read mode in a folder of the system',
    plan: {...readPlan, noExecute: ['/opt/homebrew/src/app']},
    allowed: [
      {do: 'exec', path: '/opt/homebrew/bin/git'},
      {do: 'read', path: '/opt/homebrew/src/app/program'},
    ],
    denied: [{do: 'exec', path: '/opt/homebrew/src/app/program'}],
  },
  {
    name: 'network = "loopback"',
    plan: {...writePlan, network: 'loopback'},
    allowed: [
      {do: 'connect', ...loopback},
      {do: 'connect', ip: '::1', port: 3000},
      {do: 'bind', ...loopback},
      {do: 'accept', port: 3000},
    ],
    denied: [
      {do: 'connect', ...internet},
      {do: 'bind', ip: '192.0.2.7', port: 3000},
      {do: 'connect-unix', path: '/private/var/run/mDNSResponder'},
      {do: 'connect-unix', path: '/private/var/run/docker.sock'},
      {do: 'look-up', service: 'com.apple.SystemConfiguration.DNSConfiguration'},
    ],
  },
  {
    name: 'network = "full"',
    plan: {...writePlan, network: 'full'},
    allowed: [
      {do: 'connect', ...internet},
      {do: 'connect', ...loopback},
      {do: 'bind', ip: '192.0.2.7', port: 3000},
      {do: 'connect-unix', path: '/private/var/run/mDNSResponder'},
      {do: 'look-up', service: 'com.apple.trustd.agent'},
      {do: 'look-up', service: 'com.apple.SystemConfiguration.configd'},
    ],
    denied: [
      {do: 'connect-unix', path: '/private/var/run/docker.sock'},
      {do: 'connect-unix', path: '/Users/u/.colima/default/docker.sock'},
      {do: 'connect-unix', path: '/Users/u/.orbstack/run/docker.sock'},
      {do: 'connect-unix', path: '/Users/u/.rd/docker.sock'},
      {do: 'connect-unix', path: '/private/tmp/com.apple.launchd.x/Listeners'},
      {do: 'look-up', service: 'com.apple.securityd.xpc'},
      {do: 'read', path: '/Users/u/Library/Keychains/login.keychain-db'},
      {do: 'socket', domain: 'AF_VSOCK'},
    ],
  },
  {
    name: 'unix_sockets',
    plan: {...writePlan, namedSockets: ['/private/tmp/agent.sock', '/private/var/run/docker.sock']},
    allowed: [
      {do: 'connect-unix', path: '/private/tmp/agent.sock'},
      {do: 'connect-unix', path: '/private/var/run/docker.sock'},
    ],
    denied: [
      {do: 'bind-unix', path: '/private/tmp/agent.sock'},
      {do: 'connect-unix', path: '/private/tmp/agent.sock2'},
      {do: 'connect', ...internet},
    ],
  },
];

for (const {name, plan, allowed, denied} of tables) {
  const rules = rulesFor(plan);
  for (const [actions, want] of [
    [allowed, true],
    [denied, false],
  ] as const) {
    for (const action of actions) {
      test(`${name}: ${want ? 'allows' : 'denies'} ${JSON.stringify(action)}`, () =>
        assert.equal(may(rules, action), want));
    }
  }
}
