import path from 'node:path';
import {IonError, quoted} from '../../errors.ts';
import {refuseLoosening} from '../../config/loosening.ts';
import type {Effect, Lock, RuleScope} from '../../config/settings.ts';
import {expandHome} from '../../policy/paths/path-components.ts';
import type {StoredRule} from '../../session/ask/rule-files.ts';
import {ruleStore, type NewRule, type RuleStore} from '../../session/ask/rule-stores.ts';
import {asJson, printed, type CliResult} from '../result.ts';

export interface RulesLocation {
  readonly home: string;
  readonly workspace: string;
  readonly cwd: string;
  readonly lock?: Lock | undefined;
}

export type RulesInput = RulesLocation & {readonly json?: boolean} & (
    | {readonly verb: 'list'}
    | {readonly verb: 'remove'; readonly id: string}
    | {
        readonly verb: 'add';
        readonly effect: string;
        readonly scope: string;
        readonly match: string;
        readonly tool?: string;
        readonly reason?: string;
        /** Only for this workspace. Else for every workspace of the user. */
        readonly workspaceOnly?: boolean;
      }
  );

const effects: readonly Effect[] = ['allow', 'ask', 'deny'];
const scopes: readonly RuleScope[] = ['tool', 'path', 'command_prefix', 'mcp_server'];

/** `ion rules`: the rules that ion stores, for the user and for this workspace. */
export function runRules(input: RulesInput): CliResult {
  switch (input.verb) {
    case 'list':
      return list(input, input.json ?? false);
    case 'add': {
      refuseLoosening('ion rules add', input.lock);
      const store = ruleStore(input.home, input.workspaceOnly ? input.workspace : undefined);
      const stored = store.add(checked(input));
      return input.json ? asJson(stored) : printed(`${rendered(stored)}\nadded to ${store.shown}\n`);
    }
    case 'remove': {
      refuseLoosening('ion rules remove', input.lock);
      const from = storesOf(input).filter((store) => store.remove(input.id));
      if (from.length === 0) {
        throw new IonError(`there is no rule ${quoted(input.id)}`, {help: '"ion rules list" shows the ids'});
      }
      return printed(from.map(({shown}) => `removed from ${shown}\n`).join(''));
    }
  }
}

function storesOf({home, workspace}: RulesLocation): RuleStore[] {
  return [ruleStore(home, workspace), ruleStore(home)];
}

function list(input: RulesLocation, json: boolean): CliResult {
  const kept = storesOf(input).map((store) => ({store, rules: store.list()}));
  if (json) {
    return asJson(
      kept.flatMap(({store, rules}) =>
        rules.map((rule) => ({...rule, source: store.workspace === undefined ? 'user' : 'workspace'})),
      ),
    );
  }
  const lines = kept.flatMap(({store, rules}) =>
    rules.length === 0
      ? []
      : [`${store.shown} (${nameOf(store)}):`, ...rules.map((rule) => `  ${rendered(rule)}`)],
  );
  return printed(
    lines.length === 0 ? 'no rules are stored for you or for this workspace\n' : `${lines.join('\n')}\n`,
  );
}

function nameOf({workspace}: RuleStore): string {
  return workspace === undefined ? 'every workspace' : `only ${quoted(workspace)}`;
}

function rendered({id, effect, scope, match, tool, reason}: StoredRule): string {
  const forTool = tool === undefined ? '' : ` for ${quoted(tool)}`;
  return `${id}  ${effect} ${scope} ${quoted(match)}${forTool}${reason === undefined ? '' : `: ${quoted(reason)}`}`;
}

function checked(input: RulesInput & {verb: 'add'}): NewRule {
  const {effect, scope, match, tool, reason, home, cwd} = input;
  const usage = 'usage: ion rules add <allow|ask|deny> <tool|path|command_prefix|mcp_server> <match>';
  if (!effects.includes(effect as Effect))
    throw new IonError(`unknown effect ${quoted(effect)}`, {help: usage});
  if (!scopes.includes(scope as RuleScope))
    throw new IonError(`unknown scope ${quoted(scope)}`, {help: usage});
  if (match.trim() === '' || match.includes('\0')) throw new IonError('the match is empty', {help: usage});
  if (tool !== undefined && scope !== 'path')
    throw new IonError('--tool works only with scope path', {help: usage});
  return {
    effect: effect as Effect,
    scope: scope as RuleScope,
    match: scope === 'path' ? path.resolve(cwd, expandHome(match, home)) : match,
    ...(tool === undefined ? {} : {tool}),
    ...(reason === undefined ? {} : {reason}),
  };
}
