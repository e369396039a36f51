import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {test} from 'node:test';
import assert from 'node:assert/strict';
import {decide} from '../../../../src/policy/decide.ts';
import {openGrants} from '../../../../src/session/ask/grants.ts';
import {maxAgeMs, openSessionStore} from '../../../../src/session/ask/session-store.ts';
import {isLiveSession} from '../../../../src/session/ask/terminal-session.ts';
import {bash, sourced, stateWith} from '../../policy/support.ts';

const session = 'tty_0_boot_1_2';
const hour = 60 * 60 * 1000;

function scratchHome(use: (home: string, run: string) => void): void {
  const home = mkdtempSync(path.join(tmpdir(), 'ion-session-'));
  try {
    use(home, path.join(home, '.ion/run'));
  } finally {
    rmSync(home, {recursive: true});
  }
}

const make = bash('make');
const state = (grants: ReturnType<typeof openGrants>) =>
  stateWith({approval: sourced('ask')}, {interactive: true, session: grants.state});

/** Another process in the same terminal session. It has its own memory, and the same file. */
function attached(home: string, name = session, now?: () => number) {
  const grants = openGrants(home, '/home/u/ws');
  grants.attach(openSessionStore(home, name, now));
  return grants;
}

async function grant(home: string): Promise<void> {
  const first = attached(home);
  await first.remember('session', decide(make, state(first)), make);
}

const reasonIn = (grants: ReturnType<typeof openGrants>) => decide(make, state(grants)).reason;

test('"always in this session" lives as long as the terminal session', async () => {
  const home = mkdtempSync(path.join(tmpdir(), 'ion-session-'));
  try {
    await grant(home);
    assert.equal(reasonIn(attached(home)), 'session_allow', 'in the next process');
    assert.equal(reasonIn(attached(home, 'tty_0_boot_1_3')), 'mode_ask', 'in no other session');
    assert.equal(reasonIn(openGrants(home, '/home/u/ws')), 'mode_ask', 'in no headless run');
    const later = (ms: number) => () => Date.now() + ms;
    assert.equal(reasonIn(attached(home, session, later(7.9 * hour))), 'session_allow');
    assert.equal(reasonIn(attached(home, session, later(maxAgeMs + 1000))), 'mode_ask', '8 hours at most');
    assert.equal(
      reasonIn(attached(home, session, later(-hour))),
      'mode_ask',
      'nor where the clock went back',
    );
    assert.equal(statSync(path.join(home, '.ion/run')).mode & 0o777, 0o700);
    assert.equal(statSync(path.join(home, '.ion/run', `${session}.json`)).mode & 0o777, 0o600);
  } finally {
    rmSync(home, {recursive: true});
  }
});

test('soft denials of several processes are counted together', () =>
  scratchHome((home) => {
    const soft = decide(make, stateWith({approval: sourced('plan')}));
    for (let times = 0; times < 3; times++) attached(home).count(soft);
    const counted = attached(home);
    assert.deepEqual(counted.state.denials.get(soft.fingerprint), {consecutive: 3, total: 3});
    const asked = decide(make, {
      ...state(counted),
      settings: stateWith({approval: sourced('plan')}).settings,
    });
    assert.equal(asked.reason, 'denial_fallback');
    counted.count({...soft, effect: 'allow'});
    assert.deepEqual(attached(home).state.denials.get(soft.fingerprint), {consecutive: 0, total: 3});
  }));

/** Each replaces ion's file by something else. ion must not trust any of them. */
const forged: Record<string, (file: string, run: string) => void> = {
  'a link to another file': (file, run) => (renameSync(file, `${run}/x`), symlinkSync('x', file)),
  'a file with a second name': (file, run) => linkSync(file, `${run}/x`),
  'a file that others may write': (file) => chmodSync(file, 0o620),
  'a folder that others may write': (_file, run) => chmodSync(run, 0o770),
  'a link in the place of the folder': (_file, run) => (
    renameSync(run, `${run}-x`),
    symlinkSync(`${run}-x`, run)
  ),
  'a link in the place of ~/.ion': (_file, run) => {
    const ion = path.dirname(run);
    renameSync(ion, `${ion}-x`);
    symlinkSync(`${ion}-x`, ion);
  },
  'the file of another session': (file) =>
    writeFileSync(file, readFileSync(file, 'utf8').replace(session, 'tty_0_boot_9_9')),
  'another version': (file) =>
    writeFileSync(file, readFileSync(file, 'utf8').replace('"version":1', '"version":2')),
  'no JSON': (file) => writeFileSync(file, '{"version":1'),
  'a time to come': (file) =>
    writeFileSync(file, readFileSync(file, 'utf8').replace(/,\d{13}\]/, ',9999999999999]')),
  'a time that is none': (file) =>
    writeFileSync(file, readFileSync(file, 'utf8').replace(/,\d{13}\]/, ',"1"]')),
  'a folder in its place': (file) => (rmSync(file), mkdirSync(file)),
};
for (const [name, forge] of Object.entries(forged)) {
  test(`a forged session file is not trusted: ${name}`, async () => {
    const home = mkdtempSync(path.join(tmpdir(), 'ion-session-'));
    try {
      await grant(home);
      assert.equal(reasonIn(attached(home)), 'session_allow');
      forge(path.join(home, '.ion/run', `${session}.json`), path.join(home, '.ion/run'));
      assert.equal(reasonIn(attached(home)), 'mode_ask');
    } finally {
      rmSync(home, {recursive: true});
    }
  });
}

test('its size is bounded', () =>
  scratchHome((home, run) => {
    const store = openSessionStore(home, session);
    const at = Date.now();
    store.change(() => ({
      grants: [
        ['x'.repeat(5000), at],
        ...Array.from({length: 3000}, (_, index) => [`g${index}`, at] as const),
      ],
      denials: Array.from(
        {length: 3000},
        (_, index) => [`d${index}`, {consecutive: 1, total: 1}, at] as const,
      ),
    }));
    const kept = store.read();
    assert.deepEqual([kept.grants.length, kept.denials.length], [200, 500]);
    assert.equal(kept.grants.at(-1)?.[0], 'g2999', 'the latest');
    assert.ok(statSync(`${run}/${session}.json`).size < 100_000);
  }));

test('files of ended sessions are removed, and nothing else', () =>
  scratchHome((home, run) => {
    const store = openSessionStore(home, session);
    const add = (): void => store.change((before) => before);
    add();
    for (const name of ['tty_0_boot_1_1.json', 'tty_0_boot_1_1.json.lock', 'other.json', 'tty_x'])
      writeFileSync(`${run}/${name}`, '');
    add();
    assert.deepEqual(readdirSync(run), ['other.json', `${session}.json`, 'tty_x']);
  }));

test('a live session is identified by its leader; another boot or start time makes it another session', () => {
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  const stat = readFileSync('/proc/self/stat', 'latin1');
  const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]!;
  const live = `tty_0_${boot}_${process.pid}_${started}`;
  assert.ok(isLiveSession(live));
  for (const name of [
    `tty_0_${boot}_${process.pid}_1`,
    `tty_0_x_${process.pid}_${started}`,
    `${live}_x`,
    'tty_0',
  ])
    assert.ok(!isLiveSession(name), name);
});

test('an old file of a live session is removed too', () =>
  scratchHome((home, run) => {
    openSessionStore(home, session).change((before) => before);
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    const stat = readFileSync('/proc/self/stat', 'latin1');
    const live = `${run}/tty_0_${boot}_${process.pid}_${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]!}.json`;
    writeFileSync(live, '');
    openSessionStore(home, session).change((before) => before);
    assert.ok(existsSync(live));
    utimesSync(live, new Date(0), new Date(0));
    openSessionStore(home, session).change((before) => before);
    assert.ok(!existsSync(live));
  }));

test('an answer that cannot be stored applies to the process, and ion says so', async () => {
  const home = mkdtempSync(path.join(tmpdir(), 'ion-session-'));
  try {
    writeFileSync(path.join(home, '.ion'), 'in the way');
    const grants = attached(home);
    const remembered = await grants.remember('session', decide(make, state(grants)), make);
    assert.match(remembered.problem!.message, /^this applies to this command only: /);
    assert.equal(reasonIn(grants), 'session_allow');
  } finally {
    rmSync(home, {recursive: true});
  }
});
