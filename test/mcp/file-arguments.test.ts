/**
 * Paths that no honest caller gives to the file tools: what ion decides about each. file-boundary.test.ts opens the same paths
 * without a decision: there the kernel alone refuses.
 */
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {existsSync, mkdirSync, readdirSync, readFileSync} from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';
import {testers} from '../harness/identity.ts';
import {callTool, connectMcp, type McpHost} from '../harness/mcp.ts';
import {giveTo, makeScratch, type Scratch} from '../harness/scratch.ts';
import {startProgram} from '../harness/run.ts';

const tools = ['read', 'ls', 'glob', 'grep', 'edit', 'write'] as const;
type Tool = (typeof tools)[number];

/** `ok`, `denied` by a rule, or the code of the failure. */
type Want = Readonly<Record<Tool, string>>;

const all = (code: string): Want => Object.fromEntries(tools.map((tool) => [tool, code])) as Want;
const notFolder = {ls: 'ENOTDIR', glob: 'ENOTDIR'};
const undecided = all('NOT_DECIDED');
const blocked = all('EACCES');
const special: Want = {...all('NOT_A_FILE'), ...notFolder};
const noOpen: Want = {...all('ENXIO'), ...notFolder};
const file: Want = {...all('ok'), ...notFolder, edit: 'NO_MATCH'};
const folder: Want = {...all('EISDIR'), ls: 'ok', glob: 'ok', grep: 'ok'};
const missing: Want = {...all('ENOENT'), write: 'ok'};

const up = '../'.repeat(60);
type Row = readonly [name: string, path: string | ((scratch: Scratch, pid: number) => string), want: Want];

const rows: readonly Row[] = [
  ['a FIFO', 'pipe', {...special, write: 'ENXIO'}],
  ['a socket', 'socket', noOpen],
  ['a device', '/dev/zero', special],
  ['a terminal, without one', '/dev/tty', noOpen],
  ['standard input', '/dev/stdin', undecided],
  ['a descriptor', '/dev/fd/0', undecided],
  ['NUL', 'a.txt\0.png', undecided],
  ['a name of 256 bytes', 'x'.repeat(256), undecided],
  ['a name of 1 MB', 'x'.repeat(1_000_000), undecided],
  ['a path of 1 MB', '/y'.repeat(500_000), undecided],
  ['a newline', 'new\nion: denied: x', missing],
  ['escape sequences', '\u001b[2J\u001b]0;x\u0007\u202e', missing],
  ['half a character', 'half\ud800', missing],
  ['an option', '--help', missing],
  ['an option with a path', '-f/etc/passwd', missing],
  ['an option of ripgrep', '--pre=sh', missing],
  ['the root of the own process', ({home}) => `/proc/self/root${home}/secret`, undecided],
  ['the root of the own thread', ({home}) => `/proc/thread-self/root${home}/secret`, undecided],
  ['the root of process 1', ({home}) => `/proc/1/root${home}/secret`, undecided],
  ['a descriptor of ion', (_, pid) => `/proc/${pid}/fd/0`, undecided],
  ['the folder of ion', (_, pid) => `/proc/${pid}/cwd/a.txt`, undecided],
  ['the own folder', '/proc/self/cwd/a.txt', undecided],
  ['the own variables', '/proc/self/environ', all('ENOTDIR')],
  ['the own memory', '/proc/self/mem', all('ENOTDIR')],
  ['the home', '~', blocked],
  ['a file of the home', '~/secret', {...blocked, ...notFolder}],
  ['a file of the home, by variable', '${HOME}/secret', {...blocked, ...notFolder}],
  ['the home of another user is a name here', '~other/a', missing],
  ['a URL', 'file:///etc/passwd', undecided],
  ['a URL of this folder', ({work}) => `FILE://${work}/a.txt`, undecided],
  ['a URL of the network', 'https://example.org/a', undecided],
  ['a file with a slash at its end is the file', 'a.txt/', file],
  ['a new name with a slash at its end is a file', 'made/', missing],
  ['a link out', 'out', {...blocked, ...notFolder}],
  ['up, and out', 'd/../../secret', {...blocked, ...notFolder}],
  ['up beyond the top', ({home}) => `${up}${home}/secret`, {...blocked, ...notFolder}],
  ['up beyond the top, to /etc', `${up}etc/passwd`, all('denied')],
  ['up five thousand times', `${'../'.repeat(5000)}etc/passwd`, undecided],
  ['up from what is missing', 'missing/../a.txt', file],
  ['up from a file', 'a.txt/../a.txt', file],
  ['no path', '', folder],
  ['the folder', '.', folder],
  ['the folder above', '..', blocked],
  ['the top', '/', blocked],
  ['a folder with the signs of a pattern', '[id]', folder],
];

const more: Readonly<Record<Tool, object>> = {
  read: {},
  ls: {},
  glob: {pattern: '*'},
  grep: {pattern: 'hello'},
  edit: {edits: [{old: 'absent', new: 'x'}]},
  write: {content: 'hello\n'},
};

async function outcome(host: McpHost, tool: Tool, name: string): Promise<{code: string; text: string}> {
  const {isError, structured, text} = await callTool(host, tool, {path: name, ...more[tool]});
  const failure = structured['denied'] === true ? 'denied' : String(structured['code']);
  return {code: isError ? failure : 'ok', text};
}

/** The file tools have no business with these files, and none may change. */
const outside = {'~/secret': 'SECRET\n'};
const environment = {HIDDEN: 'SECRET'};

for (const as of testers) {
  test(`file tools: hostile paths (${as.name})`, async (t) => {
    const scratch = makeScratch(t, as, {
      ...outside,
      'a.txt': 'hello\n',
      'd/': '',
      '[id]/page': 'hello\n',
      out: {link: '../secret'},
    });
    makeSpecialFiles(scratch.work);
    giveTo(scratch.root, as);
    const host = await connectMcp(t, scratch, ['mcp'], {as, env: environment});
    for (const [name, place, want] of rows) {
      const given = typeof place === 'string' ? place : place(scratch, host.child.pid!);
      for (const tool of tools) {
        const {code, text} = await outcome(host, tool, given);
        const which = `${name}: ${tool}: ${text}`;
        assert.equal(code, want[tool], which);
        assert.doesNotMatch(text, /SECRET|root:/, which);
        // A name starts no line of its own, and moves no cursor.
        assert.doesNotMatch(text, /^ion: denied: x|[^\P{Cc}\n]|\u202e/mu, which);
        assert.ok(text.length < 1000, which);
      }
    }
    assert.equal(readFileSync(path.join(scratch.home, 'secret'), 'utf8'), 'SECRET\n');
    assert.deepEqual(
      readdirSync(scratch.home).filter((name) => !name.startsWith('.')),
      ['secret', 'work'],
    );
    assert.deepEqual(readdirSync(scratch.work).sort(), [
      '\u001b[2J\u001b]0;x\u0007\u202e',
      '--help',
      '--pre=sh',
      '-f',
      '[id]',
      'a.txt',
      'd',
      'half\ufffd',
      'made',
      'new\nion: denied: x',
      'out',
      'pipe',
      'socket',
      '~other',
    ]);
    const found = await callTool(host, 'glob', {pattern: '*', path: '[id]'});
    assert.deepEqual(found.structured['files'], ['page']);
  });

  test(`file tools: a FIFO that another process has open gives and takes nothing (${as.name})`, async (t) => {
    const scratch = makeScratch(t, as, {});
    makeSpecialFiles(scratch.work);
    giveTo(scratch.root, as);
    const script = 'exec 3<>pipe; printf SECRET >&3; echo ready; exec cat >&2 <&3';
    const other = startProgram(scratch, ['bash', '-c', script], {as});
    scratch.companions.push(other);
    let taken = '';
    other.stderr!.setEncoding('utf8').on('data', (text: string) => (taken += text));
    await once(other.stdout!, 'data');
    const host = await connectMcp(t, scratch, ['mcp'], {as});
    for (const tool of ['read', 'grep', 'edit', 'write'] as const)
      assert.equal((await outcome(host, tool, 'pipe')).code, 'NOT_A_FILE', tool);
    assert.doesNotMatch(taken, /hello/);
  });

  /** The rule is not a boundary: only the decision, and the comparison at the open, hold a path that the sandbox may read. */
  test(`file tools: a link that is swapped all the time never leads to a denied path (${as.name})`, async (t) => {
    const rule = '[[permissions.rules]]\neffect = "deny"\nscope = "path"\nmatch = "~/work/closed"\n';
    const files = {'open/f': 'fine\n', 'closed/f': 'SECRET\n', '~/.ion/config.toml': rule};
    const scratch = makeScratch(t, as, files);
    const swapping = `const fs = require('fs');
      for (;;) for (const to of ['open', 'closed']) { fs.symlinkSync(to, 'new'); fs.renameSync('new', 'way'); }`;
    scratch.companions.push(startProgram(scratch, [process.execPath, '-e', swapping], {as}));
    const host = await connectMcp(t, scratch, ['mcp'], {as});
    while (!existsSync(path.join(scratch.work, 'way/f'))) await new Promise((done) => setTimeout(done, 20));
    const codes = new Set<string>();
    for (let round = 0; round < 150; round++) {
      const {code, text} = await outcome(host, 'read', 'way/f');
      assert.doesNotMatch(text, /SECRET/);
      codes.add(code);
      codes.add((await outcome(host, 'write', 'way/g')).code);
    }
    assert.ok(codes.has('ok') && codes.has('denied'), [...codes].join());
    assert.equal(existsSync(path.join(scratch.work, 'closed/g')), false);
  });
}

function makeSpecialFiles(work: string): void {
  const listen = "import socket; socket.socket(socket.AF_UNIX).bind('socket')";
  mkdirSync(work, {recursive: true});
  for (const words of [
    ['mkfifo', 'pipe'],
    ['python3', '-c', listen],
  ])
    assert.equal(spawnSync(words[0]!, words.slice(1), {cwd: work}).status, 0);
  // A FIFO and a socket that everyone may open: giveTo leaves them to root.
  assert.equal(spawnSync('chmod', ['666', 'pipe', 'socket'], {cwd: work}).status, 0);
}
