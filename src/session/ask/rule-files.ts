import {lstatSync, mkdirSync} from 'node:fs';
import path from 'node:path';
import {replaceFile} from '../../system/atomic-file.ts';
import {IonError, quoted} from '../../errors.ts';
import {readSmallFile} from '../../system/small-file.ts';
import type {Effect, Rule, RuleScope} from '../../config/settings.ts';
import {withLockFile} from '../../system/lock-file.ts';
import {refuseReadOnly, writeProblem} from '../../system/write-problem.ts';

/**
 * The user's rules that ion itself writes: answers for every workspace, and `ion rules add`. They are below `~/.ion`,
 * where nothing sandboxed can write. Each rule has a line of its own, so that a refusal can name the line:
 *
 *     {"version":1,"rules":[
 *     {"id":"4f2a90c1b7de","effect":"allow","scope":"command_prefix","match":"git push"}
 *     ]}
 *
 * Rules for one workspace are in its grants (rule-stores.ts).
 */
export interface StoredRule {
  readonly id: string;
  readonly effect: Effect;
  readonly scope: RuleScope;
  readonly match: string;
  readonly tool?: string;
  readonly reason?: string;
}

export interface RuleFile {
  readonly path: string;
  /** The path as the user would write it. */
  readonly shown: string;
}

const maxRules = 5000;
const maxBytes = 1024 * 1024;

export function ruleFile(home: string): RuleFile {
  return {path: path.join(home, '.ion', 'rules.json'), shown: '~/.ion/rules.json'};
}

/**
 * FNV-1a over the code units, twice. It need not be cryptographic: two rules with one hash get two ids (`freeId`),
 * and node:crypto would slow down a start by 2 ms.
 */
function hashOf(text: string): string {
  const hash = [0x811c9dc5, 0x01000193].map((seed) => {
    let value = seed;
    for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
    return (value >>> 0).toString(16).padStart(8, '0');
  });
  return hash.join('');
}

/** The rules of a file. None if it is missing. Anything invalid is an error, because a skipped rule may be a deny. */
export function readRules(file: RuleFile): readonly StoredRule[] {
  const read = readSmallFile({path: file.path, shown: file.shown, maxBytes});
  if (!read) return [];
  if (lstatSync(file.path).isSymbolicLink()) throw broken(file, 'is a symlink');
  const {uid, mode} = read.stats;
  if (uid !== process.geteuid?.()) throw broken(file, 'belongs to another user');
  if ((mode & 0o022) !== 0) throw broken(file, 'can be written by other users', `chmod 600 ${file.shown}`);
  return parseRules(file, read.text);
}

/** The rules in the form that policy uses. `render` writes the first rule on line 2. */
export function loadRules(home: string): Rule[] {
  const file = ruleFile(home);
  return readRules(file).map(({effect, scope, match, tool, reason}, index) => ({
    effect,
    scope,
    match,
    ...(tool === undefined ? {} : {tool}),
    ...(reason === undefined ? {} : {reason}),
    source: 'user',
    origin: {layer: 'user', file: file.shown, line: index + 2},
    trusted: true,
  }));
}

function parseRules(file: RuleFile, text: string): StoredRule[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw broken(file, 'is not JSON', 'ion writes this file; move it away if you cannot repair it', cause);
  }
  if (!isRecord(parsed) || parsed['version'] !== 1 || !Array.isArray(parsed['rules'])) {
    throw broken(file, 'is not a rules file of this version of ion');
  }
  if (parsed['rules'].length > maxRules) throw broken(file, `has more than ${maxRules} rules`);
  return parsed['rules'].map((rule, index) => parseRule(file, rule, index + 2));
}

const effects: readonly Effect[] = ['allow', 'ask', 'deny'];
const scopes: readonly RuleScope[] = ['tool', 'path', 'command_prefix', 'mcp_server'];

function parseRule(file: RuleFile, raw: unknown, line: number): StoredRule {
  const wrong = (what: string): IonError =>
    new IonError(`${what} in a rule`, {
      at: {file: file.shown, line},
      help: '"ion rules list" shows the rules; remove some',
    });
  if (!isRecord(raw)) throw wrong('no object');
  const {id, effect, scope, match, tool, reason, ...others} = raw;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw wrong(`unknown key ${quoted(unknown)}`);
  if (!isText(id)) throw wrong('no id');
  if (!effects.includes(effect as Effect)) throw wrong('an effect other than allow, ask or deny');
  if (!scopes.includes(scope as RuleScope)) throw wrong(`a scope other than ${scopes.join(', ')}`);
  if (!isText(match)) throw wrong('no match');
  if (tool !== undefined && !isText(tool)) throw wrong('a tool that is not text');
  if (reason !== undefined && typeof reason !== 'string') throw wrong('a reason that is not text');
  return {
    id,
    effect: effect as Effect,
    scope: scope as RuleScope,
    match,
    ...(tool === undefined ? {} : {tool}),
    ...(reason === undefined ? {} : {reason}),
  };
}

/** Reads, changes and writes a file under a lock, so that parallel changes are not lost. */
export function changeRules(
  file: RuleFile,
  change: (rules: readonly StoredRule[]) => readonly StoredRule[],
): void {
  const folder = path.dirname(file.path);
  try {
    mkdirSync(folder, {recursive: true, mode: 0o700});
    if (lstatSync(folder).isSymbolicLink())
      throw broken({...file, shown: path.dirname(file.shown)}, 'is a symlink');
    withLockFile(`${file.path}.lock`, () => {
      const before = readRules(file);
      const after = change(before);
      if (after.length > maxRules) throw broken(file, `would have more than ${maxRules} rules`);
      if (after === before) return;
      refuseReadOnly(file.path, file.shown);
      replaceFile(file.path, render(file, after));
    });
  } catch (error) {
    throw writeProblem(file.shown, error);
  }
}

function render(file: RuleFile, rules: readonly StoredRule[]): string {
  const lines = rules.map((rule) => JSON.stringify(rule)).join(',\n');
  const text = `{"version":1,"rules":[\n${lines}${lines === '' ? '' : '\n'}]}\n`;
  // ion must not write a file that it could not read again.
  if (Buffer.byteLength(text) > maxBytes) throw broken(file, `would be larger than ${maxBytes} bytes`);
  return text;
}

/** Adds a rule. It replaces a rule with the same meaning. Returns the rule as it is in the file. */
export function addRule(file: RuleFile, rule: Omit<StoredRule, 'id'>): StoredRule {
  let stored = {id: '', ...rule};
  changeRules(file, (rules) => {
    const others = rules.filter((one) => !isSameRule(one, rule));
    stored = {...stored, id: freeId(rule, others)};
    return [...others, stored];
  });
  return stored;
}

export function isSameRule(one: Omit<StoredRule, 'id'>, other: Omit<StoredRule, 'id'>): boolean {
  return contentOf(one) === contentOf(other);
}

/** Ids are short, so a command can be made whose rule has the id of another rule. Such a rule gets a different id. */
export function freeId(rule: Omit<StoredRule, 'id'>, others: readonly {readonly id: string}[]): string {
  let id = ruleId(rule);
  while (others.some((other) => other.id === id)) id = shortHash(id);
  return id;
}

/** Returns whether there was such a rule. */
export function removeRule(file: RuleFile, id: string): boolean {
  let removed = false;
  changeRules(file, (rules) => {
    const kept = rules.filter((rule) => rule.id !== id);
    removed = kept.length < rules.length;
    return removed ? kept : rules;
  });
  return removed;
}

/** The same rule has the same id, whatever its reason. So adding a rule twice stores it once. */
function ruleId(rule: Omit<StoredRule, 'id'>): string {
  return shortHash(contentOf(rule));
}

function contentOf({effect, scope, match, tool}: Omit<StoredRule, 'id'>): string {
  return JSON.stringify([effect, scope, match, tool ?? null]);
}

function shortHash(text: string): string {
  return hashOf(text).slice(0, 12);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && !value.includes('\0');
}

function broken(file: Pick<RuleFile, 'shown'>, what: string, help?: string, cause?: unknown): IonError {
  return new IonError(`${quoted(file.shown)} ${what}`, {help, cause});
}
