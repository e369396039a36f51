import {execFileSync} from 'node:child_process';
import {execa} from 'execa';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {test, type TestContext} from 'node:test';
import assert from 'node:assert/strict';
import {openGrants} from '../../../../src/session/ask/grants.ts';
import {addRule, loadRules, readRules, removeRule, ruleFile} from '../../../../src/session/ask/rule-files.ts';
import {decide} from '../../../../src/policy/decide.ts';
import {bash, sourced, stateWith} from '../../policy/support.ts';

const push = {effect: 'allow', scope: 'command_prefix', match: 'git push'} as const;

// Runs as a child of the test of parallel changes. This file is one bundle, and starts itself again.
if (process.env['ION_TEST_ADD'] !== undefined) {
  const file = ruleFile(process.env['ION_TEST_HOME']!);
  for (let index = 0; index < 5; index++) {
    addRule(file, {...push, match: `c${process.env['ION_TEST_ADD']} ${index}`});
    for (const {id, match} of readRules(file)) if (match === 'git push') removeRule(file, id);
  }
  process.exit(0);
}

function home(context: TestContext): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'ion-home-'));
  context.after(() => rmSync(folder, {recursive: true, force: true}));
  return folder;
}

test('a rule is read back with its file and line', (context) => {
  const folder = home(context);
  addRule(ruleFile(folder), push);
  addRule(ruleFile(folder), {effect: 'deny', scope: 'path', match: '/x', tool: 'write', reason: 'mine'});
  const origin = (file: string, line: number) => ({layer: 'user', file, line});
  assert.deepEqual(loadRules(folder), [
    {...push, source: 'user', origin: origin('~/.ion/rules.json', 2), trusted: true},
    {
      ...{effect: 'deny', scope: 'path', match: '/x', tool: 'write', reason: 'mine'},
      ...{source: 'user', origin: origin('~/.ion/rules.json', 3), trusted: true},
    },
  ]);
  const lines = readFileSync(path.join(folder, '.ion/rules.json'), 'utf8').split('\n');
  assert.match(lines[2]!, /"match":"\/x"/);
});

test('files are 0600, folders 0700, and no lock or partial file is left', (context) => {
  const folder = home(context);
  addRule(ruleFile(folder), push);
  const {path: file} = ruleFile(folder);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(statSync(path.dirname(file)).mode & 0o777, 0o700);
  assert.deepEqual(readdirSync(path.dirname(file)), [path.basename(file)]);
});

test('adding twice adds once; removing reports whether there was one', (context) => {
  const file = ruleFile(home(context));
  const {id} = addRule(file, push);
  addRule(file, {...push, reason: 'again'});
  assert.deepEqual(readRules(file), [{id, ...push, reason: 'again'}]);
  assert.equal(removeRule(file, id), true);
  assert.equal(removeRule(file, id), false);
  assert.deepEqual(readRules(file), []);
});

test('a rule whose id is already taken does not replace the other', (context) => {
  const file = ruleFile(home(context));
  const {id} = addRule(file, push);
  const deny = {effect: 'deny', scope: 'command_prefix', match: 'rm'} as const;
  // As if an attacker had searched a text that gives the same id.
  writeFileSync(file.path, JSON.stringify({version: 1, rules: [{id, ...deny}]}));
  const added = addRule(file, push);
  assert.deepEqual(readRules(file), [
    {id, ...deny},
    {id: added.id, ...push},
  ]);
  assert.equal(addRule(file, push).id, added.id);
  assert.equal(removeRule(file, added.id), true);
  assert.deepEqual(readRules(file), [{id, ...deny}]);
});

const bad: {name: string; skip?: false | string; put: (file: string) => void; want: RegExp}[] = [
  {name: 'invalid JSON', put: (file) => writeFileSync(file, '{"version":1,"ru'), want: /is not JSON/},
  {
    name: 'another version',
    put: (file) => writeFileSync(file, '{"version":2,"rules":[]}'),
    want: /not a rules file/,
  },
  {name: 'an array', put: (file) => writeFileSync(file, '[]'), want: /not a rules file/},
  {
    name: 'an unknown effect',
    put: (file) =>
      writeFileSync(
        file,
        '{"version":1,"rules":[\n{"id":"a","effect":"alow","scope":"tool","match":"x"}\n]}',
      ),
    want: /an effect other than/,
  },
  {
    name: 'an unknown key',
    put: (file) =>
      writeFileSync(
        file,
        '{"version":1,"rules":[{"id":"a","effect":"deny","scope":"tool","match":"x","to":1}]}',
      ),
    want: /unknown key "to"/,
  },
  {
    name: 'a rule that is null',
    put: (file) => writeFileSync(file, '{"version":1,"rules":[null]}'),
    want: /no object/,
  },
  {
    name: 'too many rules',
    put: (file) => writeFileSync(file, JSON.stringify({version: 1, rules: Array(5001).fill(null)})),
    want: /more than 5000/,
  },
  {name: 'a huge file', put: (file) => writeFileSync(file, ' '.repeat(2_000_000)), want: /larger than/},
  {name: 'a folder', put: (file) => mkdirSync(file), want: /a folder/},
  {name: 'a FIFO', put: (file) => execFileSync('mkfifo', [file]), want: /a FIFO/},
  {
    name: 'a symlink',
    put: (file) => {
      writeFileSync(`${file}.real`, '{"version":1,"rules":[]}', {mode: 0o600});
      symlinkSync(`${file}.real`, file);
    },
    want: /a symlink/,
  },
  {
    name: 'writable by others',
    put: (file) => {
      writeFileSync(file, '{"version":1,"rules":[]}');
      chmodSync(file, 0o666);
    },
    want: /written by other users/,
  },
  {
    name: 'of another user',
    skip: process.getuid!() !== 0 && 'only root can give a file away',
    put: (file) => {
      writeFileSync(file, '{"version":1,"rules":[]}', {mode: 0o600});
      chownSync(file, 65_534, 65_534);
    },
    want: /belongs to another user/,
  },
];
for (const {name, skip = false, put, want} of bad) {
  test(`an invalid rules file: ${name}: an error, and it is not changed`, {skip}, (context) => {
    const file = ruleFile(home(context));
    mkdirSync(path.dirname(file.path));
    put(file.path);
    assert.throws(() => readRules(file), {name: 'IonError', message: want});
    assert.throws(() => addRule(file, push), {name: 'IonError', message: want});
    assert.equal(existsSync(`${file.path}.lock`), false);
  });
}

test('a read-only rules file is not changed', (context) => {
  const file = ruleFile(home(context));
  const {id} = addRule(file, push);
  chmodSync(file.path, 0o400);
  const refused = {name: 'IonError', message: '"~/.ion/rules.json" is read-only'};
  assert.throws(() => addRule(file, {...push, match: 'git pull'}), refused);
  assert.throws(() => removeRule(file, id), refused);
  assert.deepEqual(readRules(file), [{id, ...push}]);
});

test('a home that cannot be written: the message explains it', (context) => {
  const folder = home(context);
  const file = ruleFile(folder);
  writeFileSync(path.join(folder, '.ion'), 'in the way');
  assert.throws(() => addRule(file, push), {
    name: 'IonError',
    message: '"~/.ion/rules.json" cannot be written: "~/.ion" is not a folder',
  });
});

test('parallel changes all take effect', async (context) => {
  const folder = home(context);
  const {path: file} = ruleFile(folder);
  addRule(ruleFile(folder), push);
  const children = Array.from({length: 8}, (_, child) =>
    execa(process.execPath, [process.argv[1]!], {
      env: {ION_TEST_ADD: `${child}`, ION_TEST_HOME: folder, NODE_TEST_CONTEXT: ''},
    }),
  );
  await Promise.all(children);
  const rules = JSON.parse(readFileSync(file, 'utf8')) as {rules: {match: string}[]};
  // Eight processes add five rules each, and each removes the initial rule.
  assert.equal(rules.rules.length, 40);
});

test('an answer applies to the session when the rule cannot be written, and ion says so', async (context) => {
  const folder = home(context);
  writeFileSync(path.join(folder, '.ion'), 'in the way');
  const grants = openGrants(folder, '/home/u/ws');
  const action = bash('npm test');
  const state = () => stateWith({approval: sourced('ask')}, {interactive: true, session: grants.state});
  const remembered = await grants.remember('user', decide(action, state()), action);
  assert.equal(remembered.persisted, false);
  assert.match(remembered.problem!.message, /applies to the session/);
  assert.equal(decide(action, state()).reason, 'session_allow');
});

test('soft denials are counted, hard ones are not, an allow resets the count', () => {
  const grants = openGrants(undefined, '/ws');
  const soft = decide(bash('make'), stateWith({approval: sourced('plan')}));
  const hard = decide(bash('rm -rf /'), stateWith({}));
  grants.count(soft);
  grants.count(soft);
  grants.count(hard);
  assert.deepEqual([...grants.state.denials], [['bash\0\0/home/u/ws\0make\0', {consecutive: 2, total: 2}]]);
  grants.count({...soft, effect: 'allow'});
  assert.deepEqual(grants.state.denials.get(soft.fingerprint), {consecutive: 0, total: 2});
});
