import assert from 'node:assert/strict';
import {test} from 'node:test';
import {credentials} from '../../../../src/config/defaults.ts';
import {renderMessage} from '../../../../src/errors.ts';
import type {PathProblem} from '../../../../src/sandbox/app-level/path-check-input.ts';
import type {AutorunRepair, LeftBecause} from '../../../../src/sandbox/run-event.ts';
import {adviceFor} from '../../../../src/session/report/advice.ts';
import {messageFor} from '../../../../src/session/report/message-for.ts';
import type {CountedViolation, Refusal, RefusingSettings} from '../../../../src/session/report/refusal.ts';
import {violationRules} from '../../../../src/session/report/violation-rules.ts';
import {etcSecrets} from '../../../../src/sandbox/plan/system-roots.ts';
import {systemFolders} from '../../../../src/system/system-folders.ts';
import {inUserFile} from '../../policy/support.ts';
import {nothingRefuses} from './support.ts';
import {fc} from '../../../harness/property.ts';

const home = '/home/u';
const settings = {...nothingRefuses, home};

function violation(
  rule: CountedViolation['rule'],
  target: string,
  more: Partial<CountedViolation> = {},
): Extract<Refusal, {kind: 'violation'}> {
  const one = {operation: 'write', syscall: 'openat', number: 1, pid: 7, program: '/usr/bin/tool'} as const;
  return {kind: 'violation', violation: {...one, rule, target, detail: '', count: 1, ...more}, settings};
}

/** Refused by a table of the user's file. */
function byTable(refusal: Extract<Refusal, {kind: 'violation'}>): Refusal {
  const deny = [{value: '*.evil.example', origin: inUserFile(5)}];
  const network = {value: {allow: [], deny, loopback: false}, origin: inUserFile(3)};
  return {...refusal, settings: {...settings, network}};
}

function repair(path: string, what: AutorunRepair): Refusal {
  return {kind: 'repair', event: {kind: 'autorun', path, repair: what}};
}

function pathCheck(
  problem: Omit<PathProblem, 'span'>,
  settings: {readonly protect?: RefusingSettings['protect']},
  text: readonly string[],
): readonly [Refusal, string] {
  return [
    {
      kind: 'path-check',
      problem: {...problem, span: {start: 0, end: 1}},
      settings: {protect: [], frames: {}, ...settings},
      home: '/home/u',
    },
    lines(...text),
  ];
}

type LeftCase = readonly [because: LeftBecause, keys: readonly string[] | undefined, text: string];

/** A file that ion left as the run left it. */
const leftCases: readonly LeftCase[] = [
  [
    'symlink',
    undefined,
    '"/w/f" changed during the run, and one of its folders is now a symlink, which may lead out of the workspace',
  ],
  ['too-large', undefined, '"/w/f" changed during the run, and the change was too large to check'],
  ['unknown', undefined, '"/w/f" changed during the run, and ion cannot tell what changed it'],
  ['unknown', ['alias.x'], '"/w/f" changed during the run ("alias.x"), and ion cannot tell what changed it'],
  [
    'not-reverted',
    [],
    '"/w/f" changed during the run (not a config that git can read), and ion could not revert it',
  ],
  ['not-quarantined', undefined, '"/w/f" changed during the run, and ion could not quarantine it'],
  [
    'replaced',
    ['a.a', 'b.b', 'c.c', 'd.d', 'e.e', 'f.f', 'g.g'],
    '"/w/f" changed during the run ("a.a", "b.b", "c.c", "d.d", "e.e" and 2 more): another process replaced it, and then the command wrote it',
  ],
];

/** A file that git runs or obeys, in a repository of the run. */
const ownCases: readonly LeftCase[] = [
  ['own-hook', undefined, 'a hook'],
  ['own-commondir', undefined, 'it leads git to another folder'],
  ['own-config', ['core.pager'], '"core.pager"'],
  ['own-config', [], 'not a config that git can read'],
];

/** Every kind of refusal and every rule of the sandbox, with the exact text. */
const cases: readonly (readonly [refusal: Refusal, text: string])[] = [
  [
    violation('unreadable', '/srv/x', {operation: 'read', count: 3}),
    lines(
      'ion: blocked: tool (pid 7) could not read "/srv/x" (openat: outside the read roots, 3 times)',
      'help: for this run: --set sandbox.read_roots+=/srv/x; for all: sandbox.read_roots = ["/srv/x"] in ~/.ion/config.toml',
    ),
  ],
  [
    violation('unreadable', '/usr/lib/x', {operation: 'exec', syscall: 'execve'}),
    lines(
      'ion: blocked: tool (pid 7) could not execute "/usr/lib/x" (execve: outside the read roots)',
      'help: it belongs to the system or holds secrets: do it outside ion',
    ),
  ],
  [
    violation('unreadable', '/etc/shadow', {operation: 'read'}),
    lines(
      'ion: blocked: tool (pid 7) could not read "/etc/shadow" (openat: outside the read roots)',
      'help: it belongs to the system or holds secrets: do it outside ion',
    ),
  ],
  [
    violation('unreadable', '/home/u', {operation: 'read'}),
    lines(
      'ion: blocked: tool (pid 7) could not read "/home/u" (openat: outside the read roots)',
      'help: ion opens no home as a whole: name what you need in it, such as ~/FOLDER, and ion names its setting',
    ),
  ],
  [
    violation('unreadable', '/', {operation: 'read'}),
    lines(
      'ion: blocked: tool (pid 7) could not read "/" (openat: outside the read roots)',
      'help: list the folders that you need by name: ls /usr /etc',
    ),
  ],
  [
    violation('outside', '/srv/data/x'),
    lines(
      'ion: blocked: tool (pid 7) could not change "/srv/data/x" (openat: outside the write roots)',
      'help: for this run: --set sandbox.write_roots+=/srv/data; for all: sandbox.write_roots = ["/srv/data"] in ~/.ion/config.toml',
    ),
  ],
  [
    violation('outside', '/home/u/x y'),
    lines(
      'ion: blocked: tool (pid 7) could not change "/home/u/x y" (openat: outside the write roots)',
      `help: for this run: --set 'sandbox.write_roots+="/home/u/x y"'; for all: sandbox.write_roots = ["/home/u/x y"] in ~/.ion/config.toml; it must exist first: touch '/home/u/x y'`,
    ),
  ],
  [
    violation('outside', '/srv/x.git/objects/tmp_objdir-incoming-APv8dd', {syscall: 'mkdir'}),
    lines(
      'ion: blocked: tool (pid 7) could not change "/srv/x.git/objects/tmp_objdir-incoming-APv8dd" (mkdir: outside the write roots)',
      'help: for this run: --set sandbox.write_roots+=/srv/x.git; for all: sandbox.write_roots = ["/srv/x.git"] in ~/.ion/config.toml',
    ),
  ],
  [
    violation('outside', '/srv/x', {syscall: 'mkdir'}),
    lines(
      'ion: blocked: tool (pid 7) could not change "/srv/x" (mkdir: outside the write roots)',
      `help: for this run: --set 'sandbox.write_roots+={ path = "/srv/x", create = true }'; for all: sandbox.write_roots = [{ path = "/srv/x", create = true }] in ~/.ion/config.toml`,
    ),
  ],
  [
    violation('outside', '/home/u/.npm/_cacache/x'),
    lines(
      'ion: blocked: tool (pid 7) could not change "/home/u/.npm/_cacache/x" (openat: outside the write roots)',
      'help: for this run: --set sandbox.write_roots+=/home/u/.npm/_cacache; for all: sandbox.write_roots = ["/home/u/.npm/_cacache"] in ~/.ion/config.toml',
    ),
  ],
  [
    violation('outside', '/home/u/.config/tool/x'),
    lines(
      'ion: blocked: tool (pid 7) could not change "/home/u/.config/tool/x" (openat: outside the write roots)',
      'help: for this run: --set sandbox.write_roots+=/home/u/.config/tool; for all: sandbox.write_roots = ["/home/u/.config/tool"] in ~/.ion/config.toml; programs outside ion use what lies there',
    ),
  ],
  [
    violation('outside', '/home/u/.config/autostart/x'),
    lines(
      'ion: blocked: tool (pid 7) could not change "/home/u/.config/autostart/x" (openat: outside the write roots)',
      'help: write below the workspace or the temp folder instead',
    ),
  ],
  [
    violation('outside', '/home/u/.bashrc'),
    lines(
      'ion: blocked: tool (pid 7) could not change "/home/u/.bashrc" (openat: outside the write roots)',
      'help: write below the workspace or the temp folder instead',
    ),
  ],
  [
    violation('outside', '/var/lib/dpkg/lock', {program: '/usr/bin/dpkg'}),
    lines(
      'ion: blocked: dpkg (pid 7) could not change "/var/lib/dpkg/lock" (openat: outside the write roots)',
      'help: no setting allows it: do it outside ion',
    ),
  ],
  [
    violation('protected', '/w/.husky/pre-commit'),
    lines(
      'ion: blocked: tool (pid 7) could not change "/w/.husky/pre-commit" (openat: protected, because programs outside the sandbox run or read it)',
      'help: for this run: --set sandbox.unprotect+=.husky; for all: sandbox.unprotect = [".husky"] in ~/.ion/config.toml; or put HUSKY=0 before the command to skip it',
    ),
  ],
  [
    violation('protected', '/w/tools'),
    lines(
      'ion: blocked: tool (pid 7) could not change "/w/tools" (openat: protected, because programs outside the sandbox run or read it)',
      'help: no setting allows it, because it is on the way to files that programs outside the sandbox run or read: change it outside ion',
    ),
  ],
  [
    violation('protected', '/w/.git'),
    lines(
      'ion: blocked: tool (pid 7) could not change "/w/.git" (openat: protected, because programs outside the sandbox run or read it)',
      `help: for this run: --set 'sandbox.unprotect+=[".git/hooks", ".git/config"]'; for all: sandbox.unprotect = [".git/hooks", ".git/config"] in ~/.ion/config.toml; or do it outside ion`,
    ),
  ],
  [
    violation('protected', '/home/u/.ion/config.toml'),
    lines(
      'ion: blocked: tool (pid 7) could not change "/home/u/.ion/config.toml" (openat: protected, because programs outside the sandbox run or read it)',
      'help: no setting allows it: do it outside ion',
    ),
  ],
  [
    violation('stream', '/w/in'),
    lines(
      'ion: blocked: tool (pid 7) could not write to "/w/in" (openat: it was given to the run for reading only)',
      'help: no setting allows it: do it outside ion',
    ),
  ],
  [
    violation('stream-read', '/w/out'),
    lines(
      'ion: blocked: tool (pid 7) could not read from "/w/out" (openat: it was given to the run for writing only)',
      'help: no setting allows it: do it outside ion',
    ),
  ],
  [
    violation('stream-appended', '/w/log'),
    lines(
      'ion: blocked: tool (pid 7) could not overwrite "/w/log" (openat: it was given to the run for appending only)',
      'help: no setting allows it: do it outside ion',
    ),
  ],
  [
    violation('denied-path', '/w/.env', {operation: 'read', detail: '/w/.env'}),
    lines(
      'ion: blocked: tool (pid 7) could not read "/w/.env" (openat: denied by denied_paths "/w/.env")',
      `help: denied_paths apply in every mode, and this entry is built in: only --no-sandbox opens it`,
    ),
  ],
  [
    violation('denied-command', 'git push', {operation: 'exec', syscall: 'execve', detail: 'git push*'}),
    lines(
      'ion: blocked: tool (pid 7) could not execute "git push" (execve: denied by deny_commands "git push*")',
      'help: remove the pattern from deny_commands to allow it',
    ),
  ],
  [
    violation('denied-rule', 'git push', {operation: 'exec', syscall: 'execve', detail: 'git push'}),
    lines(
      'ion: blocked: tool (pid 7) could not execute "git push" (execve: denied by a rule "git push")',
      'help: remove the rule from that config to allow it',
    ),
  ],
  [
    violation('read-mode', '/w/tool', {operation: 'exec', syscall: 'execve'}),
    lines(
      'ion: blocked: tool (pid 7) could not execute "/w/tool" (execve: read mode starts only the programs that the command names)',
      'help: drop --read to run it in write mode; where a config sets it, for this run: --set permissions.mode=write; for all: permissions.mode = "write" in ~/.ion/config.toml',
    ),
  ],
  [
    violation('network', '1.2.3.4:80', {operation: 'connect', syscall: 'connect'}),
    lines(
      'ion: blocked: tool (pid 7) could not reach "1.2.3.4:80" (connect: the network is closed)',
      'help: for this run: --set sandbox.network=full; for all: sandbox.network = "full" in ~/.ion/config.toml',
    ),
  ],
  [
    violation('network', '127.0.0.1:80', {operation: 'connect', syscall: 'connect'}),
    lines(
      'ion: blocked: tool (pid 7) could not reach "127.0.0.1:80" (connect: the network is closed)',
      'help: for this run: --set sandbox.network=loopback; for all: sandbox.network = "loopback" in ~/.ion/config.toml (for a server of the same run; "full" for others)',
    ),
  ],
  [
    violation('network-name', 'evil.example', {
      operation: 'connect',
      syscall: 'connect',
      detail: 'evil.example||0',
    }),
    lines(
      'ion: blocked: tool (pid 7) could not look up "evil.example" (connect: the name is not on the network allow list)',
      'help: for this run: --set sandbox.network.allow+=evil.example; for all: sandbox.network.allow = ["evil.example"] in ~/.ion/config.toml',
    ),
  ],
  [
    violation('network-name', 'git.example', {
      operation: 'connect',
      syscall: 'sendto',
      detail: 'git.example||0',
      program: '/usr/bin/ssh',
    }),
    lines(
      'ion: blocked: ssh (pid 7) could not look up "git.example" (sendto: the name is not on the network allow list)',
      `help: for this run: --set 'sandbox.network.allow+="tcp://git.example:22"'; for all: sandbox.network.allow = ["tcp://git.example:22"] in ~/.ion/config.toml`,
    ),
  ],
  [
    byTable(violation('network-port', 'a.example:8443', {detail: 'a.example|203.0.113.7|8443'})),
    lines(
      'ion: blocked: tool (pid 7) could not reach "a.example:8443" (openat: the name is allowed on other ports only)',
      ' --> ~/.ion/config.toml:3',
      `help: for this run: --set 'sandbox.network.allow+="a.example:8443"'; for all: sandbox.network.allow = ["a.example:8443"] in ~/.ion/config.toml`,
    ),
  ],
  [
    byTable(violation('network-name', 'x.evil.example', {detail: 'x.evil.example||0'})),
    lines(
      'ion: blocked: tool (pid 7) could not look up "x.evil.example" (openat: denied by sandbox.network.deny "*.evil.example")',
      ' --> ~/.ion/config.toml:5',
      'help: remove the entry from sandbox.network.deny to allow it',
    ),
  ],
  [
    violation('network-address', '203.0.113.7:443', {
      operation: 'connect',
      syscall: 'connect',
      detail: '|203.0.113.7|443',
    }),
    lines(
      'ion: blocked: tool (pid 7) could not reach "203.0.113.7:443" (connect: no allowed name led to this address)',
      `help: for this run: --set 'sandbox.network.allow+="tcp://203.0.113.7:443"'; for all: sandbox.network.allow = ["tcp://203.0.113.7:443"] in ~/.ion/config.toml; or connect by an allowed name`,
    ),
  ],
  [
    violation('network-port', 'a.example:8443', {
      operation: 'connect',
      syscall: 'connect',
      detail: 'a.example|203.0.113.7|8443',
    }),
    lines(
      'ion: blocked: tool (pid 7) could not reach "a.example:8443" (connect: the name is allowed on other ports only)',
      `help: for this run: --set 'sandbox.network.allow+="a.example:8443"'; for all: sandbox.network.allow = ["a.example:8443"] in ~/.ion/config.toml`,
    ),
  ],
  [
    violation('network-local', 'a.example (10.0.0.5:443)', {
      operation: 'connect',
      syscall: 'connect',
      detail: 'a.example|10.0.0.5|443',
    }),
    lines(
      'ion: blocked: tool (pid 7) could not reach "a.example (10.0.0.5:443)" (connect: an address of a local network or of this machine)',
      `help: for this run: --set 'sandbox.network.allow+={ name = "a.example", private = true }'; for all: sandbox.network.allow = [{ name = "a.example", private = true }] in ~/.ion/config.toml`,
    ),
  ],
  [
    violation('network-server-name', 'other.example', {
      operation: 'connect',
      syscall: 'connect',
      detail: 'other.example|203.0.113.7|443',
    }),
    lines(
      'ion: blocked: tool (pid 7) could not reach "other.example" (connect: the TLS server name is not one that led to this address)',
      'help: for this run: --set sandbox.network.allow+=other.example; for all: sandbox.network.allow = ["other.example"] in ~/.ion/config.toml',
    ),
  ],
  [
    violation('network-host', 'other.example', {
      operation: 'connect',
      syscall: 'connect',
      detail: 'other.example|203.0.113.7|80',
    }),
    lines(
      'ion: blocked: tool (pid 7) could not reach "other.example" (connect: the Host of the request is not one that led to this address)',
      `help: for this run: --set 'sandbox.network.allow+="other.example:80"'; for all: sandbox.network.allow = ["other.example:80"] in ~/.ion/config.toml`,
    ),
  ],
  [
    violation('network-ech', 'a.example:443', {
      operation: 'connect',
      syscall: 'connect',
      detail: 'a.example|203.0.113.7|443',
    }),
    lines(
      'ion: blocked: tool (pid 7) could not reach "a.example:443" (connect: the TLS server name is encrypted (ECH), and cannot be compared)',
      `help: for this run: --set 'sandbox.network.allow+={ name = "a.example", ech = "allow" }'; for all: sandbox.network.allow = [{ name = "a.example", ech = "allow" }] in ~/.ion/config.toml`,
    ),
  ],
  [
    violation('network-no-name', 'a.example:443', {
      operation: 'connect',
      syscall: 'connect',
      detail: 'a.example|203.0.113.7|443',
    }),
    lines(
      'ion: blocked: tool (pid 7) could not reach "a.example:443" (connect: the connection names no server)',
      `help: for this run: --set 'sandbox.network.allow+="tcp://a.example:443"'; for all: sandbox.network.allow = ["tcp://a.example:443"] in ~/.ion/config.toml, which allows any protocol unread`,
    ),
  ],
  [
    violation('network-no-tls', 'a.example:443', {
      operation: 'connect',
      syscall: 'connect',
      detail: 'a.example|203.0.113.7|443',
    }),
    lines(
      'ion: blocked: tool (pid 7) could not reach "a.example:443" (connect: not TLS, and the entry allows only that)',
      `help: for this run: --set 'sandbox.network.allow+="tcp://a.example:443"'; for all: sandbox.network.allow = ["tcp://a.example:443"] in ~/.ion/config.toml, which allows any protocol unread`,
    ),
  ],
  [
    violation('network-datagram', '203.0.113.7:443', {
      operation: 'connect',
      syscall: 'connect',
      detail: '|203.0.113.7|443',
    }),
    lines(
      'ion: blocked: tool (pid 7) could not send a datagram to "203.0.113.7:443" (connect: a network table allows TCP only)',
      'help: for this run: --set sandbox.network=full; for all: sandbox.network = "full" in ~/.ion/config.toml',
    ),
  ],
  [
    violation('network-many', '*.example.org', {
      operation: 'connect',
      syscall: 'connect',
      detail: '*.example.org||0',
    }),
    lines(
      'ion: blocked: tool (pid 7) could not look up names below "*.example.org" (connect: too many new names below a wildcard)',
      'help: list the names one by one, or go slower: 64 at first, then ten a second',
    ),
  ],
  [
    violation('network-busy', 'example.org', {
      operation: 'connect',
      syscall: 'connect',
      detail: 'example.org||0',
    }),
    lines(
      'ion: blocked: tool (pid 7) could not look up "example.org" (connect: too many look-ups at once, or too many names in one run)',
      'help: look up fewer names at once: ion answers 512',
    ),
  ],
  [
    violation('network-relay', 'the network', {
      operation: 'connect',
      syscall: 'connect',
      detail: '',
      pid: 0,
      program: '',
    }),
    lines(
      'ion: blocked: the run could not use "the network" (connect: the relay has ended, so the network is closed)',
      'help: run the command again; if it happens again, report it as a bug in ion',
    ),
  ],
  [
    violation('loopback', '0.0.0.0:80', {operation: 'bind', syscall: 'bind'}),
    lines(
      'ion: blocked: tool (pid 7) could not listen on "0.0.0.0:80" (bind: the network is closed)',
      'help: for this run: --set sandbox.network=loopback; for all: sandbox.network = "loopback" in ~/.ion/config.toml',
    ),
  ],
  [
    violation('beyond-loopback', '10.0.0.1:80', {operation: 'bind', syscall: 'bind'}),
    lines(
      'ion: blocked: tool (pid 7) could not listen on "10.0.0.1:80" (bind: not a loopback address)',
      'help: for this run: --set sandbox.network=full; for all: sandbox.network = "full" in ~/.ion/config.toml',
    ),
  ],
  [
    violation('outside-server', '127.0.0.1:5432', {operation: 'connect', syscall: 'connect'}),
    lines(
      'ion: blocked: tool (pid 7) could not connect to "127.0.0.1:5432" (connect: a server of another process)',
      'help: for this run: --set sandbox.network=full; for all: sandbox.network = "full" in ~/.ion/config.toml',
    ),
  ],
  [
    violation('unix-socket', '/run/x.sock', {operation: 'connect', syscall: 'connect'}),
    lines(
      'ion: blocked: tool (pid 7) could not connect to "/run/x.sock" (connect: a socket of another process)',
      'help: for this run: --set sandbox.unix_sockets+=/run/x.sock; for all: sandbox.unix_sockets = ["/run/x.sock"] in ~/.ion/config.toml; its server is not confined',
    ),
  ],
  [
    violation('unix-socket', '@x', {operation: 'connect', syscall: 'connect'}),
    lines(
      'ion: blocked: tool (pid 7) could not connect to "@x" (connect: a socket of another process)',
      'help: no setting allows it: do it outside ion',
    ),
  ],
  [
    violation('unknown-socket', '/run/x.sock', {operation: 'connect', syscall: 'connect'}),
    lines(
      'ion: blocked: tool (pid 7) could not connect to "/run/x.sock" (connect: without the kernel module unix_diag ion cannot tell whether it is a socket of this run)',
      'help: for this run: --set sandbox.unix_sockets+=/run/x.sock; for all: sandbox.unix_sockets = ["/run/x.sock"] in ~/.ion/config.toml; its server is not confined',
    ),
  ],
  [
    violation('signal', '1', {operation: 'control', syscall: 'kill'}),
    lines(
      'ion: blocked: tool (pid 7) could not signal "1" (kill: it belongs to a process outside the run)',
      'help: no setting allows it: do it outside ion',
    ),
  ],
  [
    violation('set-id', '/w/tool', {syscall: 'fchmodat'}),
    lines(
      'ion: blocked: tool (pid 7) could not set the setuid or setgid bit of "/w/tool" (fchmodat: such a file would run with more rights outside the sandbox)',
      'help: no setting allows it: leave the bit out, or set it outside ion',
    ),
  ],
  [
    violation('scheduling', '1', {operation: 'control', syscall: 'setpriority'}),
    lines(
      'ion: blocked: tool (pid 7) could not change the scheduling of "1" (setpriority: it belongs to a process outside the run)',
      'help: no setting allows it: do it outside ion',
    ),
  ],
  [
    {kind: 'named-path', rule: 'unreadable', requested: '../x', path: '/home/u/x', home},
    lines(
      'ion: "../x" is outside the read roots',
      'help: for this run: --set sandbox.read_roots+=/home/u/x; for all: sandbox.read_roots = ["/home/u/x"] in ~/.ion/config.toml; --explain reports every refused read',
    ),
  ],
  [
    {kind: 'named-path', rule: 'unreadable', requested: '..', path: '/home/u', home},
    lines(
      'ion: ".." is outside the read roots',
      'help: ion opens no home as a whole: name what you need in it, such as ~/FOLDER, and ion names its setting; --explain reports every refused read',
    ),
  ],
  [
    {kind: 'named-path', rule: 'outside', requested: '/srv/data/x', path: '/srv/data/x', home},
    lines(
      'ion: "/srv/data/x" is outside the write roots',
      'help: for this run: --set sandbox.write_roots+=/srv/data; for all: sandbox.write_roots = ["/srv/data"] in ~/.ion/config.toml',
    ),
  ],
  [
    {kind: 'named-path', rule: 'protected', requested: '.vscode', path: '/w/.vscode', home},
    lines(
      'ion: ".vscode" is protected or contains a protected file: programs outside the sandbox run or read it',
      'help: for this run: --set sandbox.unprotect+=.vscode; for all: sandbox.unprotect = [".vscode"] in ~/.ion/config.toml',
    ),
  ],
  [
    {kind: 'hint', text: '"sudo" cannot become another user', help: 'do it outside ion'},
    lines('ion: "sudo" cannot become another user', 'help: do it outside ion'),
  ],
  [
    {kind: 'variables', names: ['NPM_TOKEN', 'MY_KEY']},
    lines(
      'ion: the command does not get "NPM_TOKEN", "MY_KEY": environment.exclude removes names that look like secrets',
      `help: for this run: --set 'environment.keep+=["NPM_TOKEN", "MY_KEY"]'; for all: environment.keep = ["NPM_TOKEN", "MY_KEY"] in ~/.ion/config.toml`,
    ),
  ],
  [
    {
      kind: 'limit',
      event: {kind: 'limit', limit: 'memory', value: 2 ** 30 + 4096},
      limits: {memoryBytes: {value: 2 ** 30, origin: inUserFile(3)}},
    },
    lines(
      'ion: stopped: the run exceeded its limit of memory, which is 1G',
      ' --> ~/.ion/config.toml:3',
      `help: for this run: --set 'sandbox.limits.memory="2G"'; for all: sandbox.limits.memory = "2G" in ~/.ion/config.toml`,
    ),
  ],
  [
    {
      kind: 'limit',
      event: {kind: 'limit', limit: 'memory', value: 3 * 2 ** 29},
      limits: {memoryBytes: {value: 2 ** 30, origin: {layer: 'set', file: '--set sandbox.limits.memory=1G'}}},
    },
    lines(
      'ion: stopped: the run exceeded its limit of memory (1.5G), which is 1G',
      ' --> --set sandbox.limits.memory=1G',
      `help: for this run: --set 'sandbox.limits.memory="2G"'`,
    ),
  ],
  [
    {
      kind: 'limit',
      event: {kind: 'limit', limit: 'processes', value: 30},
      limits: {processes: {value: 30, origin: {layer: 'project', file: '.ion/config.toml', line: 2}}},
    },
    lines(
      'ion: stopped: the run exceeded its limit of processes, which is 30',
      ' --> .ion/config.toml:2',
      'help: write: sandbox.limits.processes = 60 in .ion/config.toml',
    ),
  ],
  [
    {kind: 'limit', event: {kind: 'limit', limit: 'disk', value: 2 ** 20, pid: 9}, limits: {}},
    lines(
      'ion: limited: a process (pid 9) reached its limit of disk',
      'help: raise sandbox.limits.disk to allow it; writes of other processes count too',
    ),
  ],
  [
    {kind: 'timeout', limits: {timeoutMs: {value: 30_000, origin: {layer: 'flag'}}}},
    lines(
      'ion: timed out after 30s: killed the command and everything it started',
      'help: for this run: --timeout 1m',
    ),
  ],
  [
    {kind: 'timeout', limits: {timeoutMs: {value: 90_000, origin: inUserFile(2)}}},
    lines(
      'ion: timed out after 90s: killed the command and everything it started',
      ' --> ~/.ion/config.toml:2',
      'help: for this run: --timeout 3m; for all: sandbox.limits.timeout = "3m" in ~/.ion/config.toml',
    ),
  ],
  [
    repair('/w/.envrc', {did: 'quarantined', place: '/home/u/.ion/quarantine/it is'}),
    lines(
      'ion: quarantined "/w/.envrc": programs outside the sandbox run or read it',
      `help: "mv '/home/u/.ion/quarantine/it is' /w/.envrc" restores it`,
    ),
  ],
  [
    repair('/w/.git/config', {did: 'undone', keys: ['alias.x', 'core.hookspath'], kept: '/home/u/kept'}),
    lines(
      'ion: reverted "alias.x", "core.hookspath" in "/w/.git/config": git may start a program by it outside the sandbox (changed remotes, branches and names are kept)',
      'help: for this run: --set sandbox.unprotect+=.git/config; for all: sandbox.unprotect = [".git/config"] in ~/.ion/config.toml; "cp /home/u/kept /w/.git/config" brings the change back',
    ),
  ],
  [
    repair('/w/.git/modules/lib/config', {did: 'undone', keys: [], kept: undefined}),
    lines(
      'ion: reverted "/w/.git/modules/lib/config": it was not a config that git can read',
      'help: for this run: --set sandbox.unprotect+=.git/modules/lib/config; for all: sandbox.unprotect = [".git/modules/lib/config"] in ~/.ion/config.toml; its content is lost: ion cannot write "~/.ion/quarantine"',
    ),
  ],
  [
    repair('/w/.git/config', {did: 'left', because: 'unmerged', kept: '/home/u/kept'}),
    lines(
      'ion: did not write the changes of "/w/.git/config": another process holds "/w/.git/config.lock", or changed the same lines',
      'help: "cp /home/u/kept /w/.git/config" writes them',
    ),
  ],
  ...leftCases.map(
    ([because, keys, text]) =>
      [
        repair('/w/f', {did: 'left', because, keys}),
        lines(
          `ion: ${text}`,
          'help: check it: programs outside the sandbox run or read it; ion left it unchanged',
        ),
      ] as const,
  ),
  ...ownCases.map(
    ([because, keys, text]) =>
      [
        repair('/w/f', {did: 'left', because, keys}),
        lines(
          `ion: check "/w/f": ${text} in a repository that this run made`,
          'help: git also runs or obeys it outside the sandbox; ion left it unchanged',
        ),
      ] as const,
  ),
  [
    repair('/w/f', {did: 'left', because: 'too-many'}),
    lines(
      'ion: check "/w/f" and the files next to it: this run made more hooks and configs of repositories than ion checks',
      'help: git also runs or obeys them outside the sandbox; ion left them unchanged',
    ),
  ],
  pathCheck({kind: 'path', what: '"x" is in denied_paths "x"'}, {}, [
    'ion: denied: "x" is in denied_paths "x"',
    'help: the system has no sandbox, so every named path must be in the roots: "ion doctor" shows what is missing',
  ]),
  pathCheck({kind: 'path', what: '"/srv/x" is outside', closed: {path: '/srv/x', access: 'read'}}, {}, [
    'ion: denied: "/srv/x" is outside',
    'help: for this run: --set sandbox.read_roots+=/srv/x; for all: sandbox.read_roots = ["/srv/x"] in ~/.ion/config.toml',
  ]),
  pathCheck({kind: 'path', what: '"/srv/x/y" is outside', closed: {path: '/srv/x/y', access: 'write'}}, {}, [
    'ion: denied: "/srv/x/y" is outside',
    'help: for this run: --set sandbox.write_roots+=/srv/x; for all: sandbox.write_roots = ["/srv/x"] in ~/.ion/config.toml',
  ]),
  pathCheck(
    {kind: 'protected', what: '".envrc" is protected', closed: {path: '/w/.envrc', access: 'write'}},
    {},
    [
      'ion: denied: ".envrc" is protected',
      'help: for this run: --set sandbox.unprotect+=.envrc; for all: sandbox.unprotect = [".envrc"] in ~/.ion/config.toml',
    ],
  ),
  pathCheck(
    {kind: 'protected', what: '"deploy" is protected', closed: {path: '/w/deploy', access: 'write'}},
    {protect: [{value: 'deploy', origin: inUserFile(1)}]},
    ['ion: denied: "deploy" is protected', 'help: remove the entry from sandbox.protect to allow it'],
  ),
  pathCheck({kind: 'unclear', what: 'it evaluates arithmetic'}, {}, [
    'ion: denied: it evaluates arithmetic',
    'help: the system has no sandbox, so ion runs only commands that it understands in full: "ion doctor" shows what is missing',
  ]),
  [
    {kind: 'approved-as-read', command: 'sort -o f f', word: "'sort -o f f'", target: '/w/f'},
    lines(
      'ion: denied: "sort -o f f" was approved because it only reads, but it tried to change "/w/f"',
      "help: ion rules add --workspace allow command_prefix 'sort -o f f'",
    ),
  ],
];

function lines(...text: readonly string[]): string {
  return text.map((line) => `${line}\n`).join('');
}

for (const [refusal, text] of cases) {
  test(`the words for a refusal: ${text.split('\n')[0]}`, () => {
    assert.equal(renderMessage(messageFor(refusal)), text);
  });
}

test('the table of words has every rule of the sandbox', () => {
  const tried = cases.flatMap(([refusal]) => (refusal.kind === 'violation' ? [refusal.violation.rule] : []));
  assert.deepEqual([...new Set(tried)].sort(), Object.keys(violationRules).sort());
});

const secrets = [
  ...etcSecrets.map((name) => `/etc/${name}`),
  ...[home, '/root', '/home/other'].flatMap((one) => credentials.map((name) => `${one}/${name}`)),
];
const never = [
  ...systemFolders,
  ...secrets,
  '/',
  '/home',
  '/root',
  home,
  '/home/other',
  '/var/spool/cron',
  '/var',
  '/srv',
];

/** Paths near one that must not be opened: itself, paths in it, and its parents. */
const near = fc
  .tuple(
    fc.constantFrom(...never, '/srv/data', '/home/u/project', '/opt/tool'),
    fc.constantFrom('', '/x', '/x/y', '/..'),
  )
  .map(([path, end]) =>
    end === '/..'
      ? path.slice(0, Math.max(path.lastIndexOf('/'), 1))
      : path === '/'
        ? end || '/'
        : path + end,
  );

test('advice never proposes to open /, a system folder, a home as a whole or a secret', () => {
  const rules = fc.constantFrom(...(Object.keys(violationRules) as CountedViolation['rule'][]));
  fc.assert(
    fc.property(rules, near, (rule, target) => {
      for (const refusal of [
        violation(rule, target),
        {kind: 'named-path', rule: 'unreadable', requested: 'x', path: target, home} as const,
        {kind: 'named-path', rule: 'outside', requested: 'x', path: target, home} as const,
      ]) {
        const {setting} = adviceFor(refusal);
        if (setting?.key !== 'sandbox.read_roots' && setting?.key !== 'sandbox.write_roots') continue;
        for (const proposed of setting.value) {
          const opened = never.filter(
            (one) => proposed === one || one.startsWith(proposed === '/' ? '/' : `${proposed}/`),
          );
          assert.deepEqual(opened, [], `${proposed} opens them`);
          const inside = [...systemFolders, ...secrets].filter((one) => proposed.startsWith(`${one}/`));
          assert.deepEqual(inside, [], `${proposed} lies in it`);
        }
      }
    }),
  );
});
