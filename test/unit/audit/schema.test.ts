import {readFileSync} from 'node:fs';
import {test} from 'node:test';
import assert from 'node:assert/strict';
import {isLogged, makeEvent, type EventBodies, type EventType} from '../../../src/audit/events.ts';
import {decide} from '../../../src/policy/decide.ts';
import {reasons} from '../../../src/policy/reasons.ts';
import {decisionRecord} from '../../../src/policy/decision-record.ts';
import {bash, stateWith} from '../policy/support.ts';

type Json = Readonly<Record<string, unknown>>;
const schema = JSON.parse(readFileSync('src/audit/events.schema.json', 'utf8')) as Json & {
  $defs: Record<string, Json>;
};

/** Implements the part of JSON Schema that the schema uses. An unknown keyword is an error, so that none is ignored. */
function problems(value: unknown, rule: Json, at = '$'): string[] {
  return Object.entries(rule).flatMap(([keyword, wanted]): string[] => {
    const fails = (test: boolean): string[] => (test ? [] : [`${at}: ${keyword} ${JSON.stringify(wanted)}`]);
    switch (keyword) {
      case 'description':
        return [];
      case '$ref':
        return problems(value, schema.$defs[(wanted as string).slice('#/$defs/'.length)]!, at);
      case 'type':
        return fails(
          [wanted].flat().includes(typeOf(value)) ||
            (typeOf(value) === 'integer' && [wanted].flat().includes('number')),
        );
      case 'const':
        return fails(value === wanted);
      case 'enum':
        return fails((wanted as unknown[]).includes(value));
      case 'anyOf':
        return fails((wanted as Json[]).some((one) => problems(value, one, at).length === 0));
      case 'items':
        return (value as unknown[]).flatMap((item, index) =>
          problems(item, wanted as Json, `${at}[${index}]`),
        );
      case 'required':
        return fails((wanted as string[]).every((name) => Object.hasOwn(value as Json, name)));
      case 'properties':
        return Object.entries(wanted as Record<string, Json>).flatMap(([name, one]) =>
          Object.hasOwn(value as Json, name) ? problems((value as Json)[name], one, `${at}.${name}`) : [],
        );
      case 'additionalProperties': {
        const others = Object.keys(value as Json).filter(
          (name) => !Object.hasOwn((rule['properties'] ?? {}) as Json, name),
        );
        if (wanted === false) return fails(others.length === 0);
        return others.flatMap((name) => problems((value as Json)[name], wanted as Json, `${at}.${name}`));
      }
      default:
        return [`${at}: unknown keyword ${keyword}`];
    }
  });
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

const action = {
  tool: 'bash',
  class: 'shell',
  command: 'true',
  paths: [{path: '/x', access: 'read'}],
  mcp_server: null,
};
const samples: {[K in EventType]: EventBodies[K]} = {
  'log.verified': {intact: false, records: 2, at: 'head', why: 'the head file is missing'},
  'log.pruned': {
    files: ['audit-000001.jsonl'],
    records: 2,
    through_sequence: 2,
    through_hash: 'x',
    found: ['x'],
  },
  'run.started': {
    ion_version: '1',
    pid: 1,
    cwd: '/',
    workspace: '/',
    terminal_session: null,
    action,
    permission_state: {
      mode: 'write',
      approval: 'never',
      sandbox: 'require',
      rules: 0,
      policy_sources: ['default'],
      workspace_trusted: false,
      interaction_allowed: false,
    },
  },
  'permission.evaluated': {
    ...decisionRecord(decide(bash('rm -rf / > x'), stateWith({}))),
    action,
    duration_us: 1.5,
  },
  'permission.requested': {
    approval_action_id: 'q',
    expires_at: 't',
    decision_reason: 'mode_ask',
    message: 'm',
    action,
    destructive: true,
  },
  'permission.resolved': {
    approval_action_id: 'q',
    resolution: 'allowed',
    decision: 'allow',
    decision_reason: 'answer_allow',
    scope: 'once',
    persisted: null,
  },
  'sandbox.applied': {
    sandbox_profile: {
      mode: 'write',
      boundary: 'write',
      backend: 'landlock',
      enforced: true,
      inside_run: false,
      cwd: '/',
      read_roots: [],
      withheld: [],
      write_roots: ['/ws'],
      protected: [],
      network: 'none',
      environment_ref: 'e',
      toolchains: [{name: 'node', because: 'npm is on PATH', variables: ['npm_config_cache']}],
      process_limits: {timeout_ms: 1, memory: null},
      process_limits_by: {timeout_ms: 'supervisor (whole tree)'},
      enforcement: [{protection: 'p', level: 'enforced', by: 'landlock'}],
      downgrades: [],
      violation_refs: [],
    },
  },
  'sandbox.violation': {
    violation_id: 'v',
    operation: 'write',
    syscall: 'openat',
    path: '/x',
    program: 'touch',
    pid: 7,
    pid_inside: 3,
    protection: 'p',
    count: 1,
    would_allow: null,
    rule: 'outside',
    detail: '',
    name: null,
    address: null,
    port: null,
    chain: ['bash'],
    chain_complete: true,
    expected: false,
    program_failed: true,
  },
  'config.ignored': {key: 'k', value: 'v', at: 'f:1', why: 'w'},
  'hook.finished': {
    hook_event: 'PreToolUse',
    command: 'c',
    at: 'f:1',
    outcome: 'block',
    exit_code: 2,
    signal: null,
    duration_ms: 3,
    message: '',
  },
  'step.written': {variable: 'GITHUB_OUTPUT', path: '/t/f', bytes_before: 0, bytes_after: 4},
  'process.exec': {pid: 1, pid_inside: 3, program: '/bin/true', argv: ['true']},
  'run.finished': {
    exit_code: 0,
    signal: null,
    timed_out: false,
    duration_ms: 1.5,
    violation_refs: ['v'],
    denial_id: null,
    usage: {user_ms: 1, system_ms: 1, max_rss_bytes: 1},
    connections: 'exact',
  },
  'log.recovered': {reason: 'head_missing', bytes: 1},
};

const now = new Date('2026-01-01T00:00:00Z');
for (const [type, body] of Object.entries(samples) as [EventType, EventBodies[EventType]][]) {
  const made = makeEvent(type, {runId: 'r', now}, body);
  const event = type.startsWith('log.') ? {...made, run_id: null} : made;

  test(`${type} matches the schema`, () => {
    assert.deepEqual(problems(event, schema.$defs[type]!), []);
  });

  test(`${type}: the schema has every field, and no other`, () => {
    const {properties, required} = schema.$defs[type] as {properties: Json; required: string[]};
    assert.deepEqual(Object.keys(event).toSorted(), Object.keys(properties).toSorted());
    assert.deepEqual(required.toSorted(), Object.keys(properties).toSorted());
  });
}

test('the schema rejects invalid events', () => {
  const event = {
    ...makeEvent('config.ignored', {runId: 'r', now}, samples['config.ignored']),
    key: 7,
    more: 1,
  };
  assert.deepEqual(problems(event, schema.$defs['config.ignored']!), [
    '$: additionalProperties false',
    '$.key: type "string"',
  ]);
});

test('every type of event is one alternative of the schema', () => {
  const refs = (schema['oneOf'] as {$ref: string}[]).map(({$ref}) => $ref.slice('#/$defs/'.length));
  assert.deepEqual(refs.toSorted(), Object.keys(samples).toSorted());
});

test('executions are for live streams only', () => {
  const logged = (Object.keys(samples) as EventType[]).filter((type) =>
    isLogged(makeEvent(type, {runId: 'r', now}, samples[type])),
  );
  assert.deepEqual(
    Object.keys(samples).filter((type) => !logged.includes(type as EventType)),
    ['process.exec'],
  );
});

test('reason codes are snake case: they are an interface', () => {
  for (const code of Object.keys(reasons)) assert.match(code, /^[a-z]+(_[a-z]+)*$/);
});
