import {readdirSync} from 'node:fs';
import path from 'node:path';
import type {Rule, Settings} from '../../config/settings.ts';
import {skipsAskRules} from '../../config/approval-table.ts';
import {compareRules, normalPrefix} from '../../policy/rules/compare-rules.ts';
import type {ExecRules} from '../launch.ts';
import {isWithin} from '../../system/is-within.ts';
import {globalOptions} from '../../shell/nested/global-options.ts';
import {
  interpreterNames,
  interpreters,
  isDispatcher,
  moduleProgramRows,
  multiCallPrograms,
} from '../../shell/nested/interpreters.ts';
import {realpathIfThere} from '../../system/real-path.ts';

export interface ExecRulesInput {
  readonly settings: Pick<Settings, 'denyCommands' | 'approval'>;
  /** The rules of the settings, and the rules that ion stores. */
  readonly rules: readonly Rule[];
  readonly searchPath: string;
  readonly workspace: string;
  /** Reports for each path whether it exists. */
  readonly exist: (paths: readonly string[]) => readonly boolean[];
}

/** deny_commands, and rules of scope command_prefix, as the supervisor compares them with executions. Undefined: nothing is denied. */
export function planExecRules(input: ExecRulesInput): ExecRules | undefined {
  const {settings, rules} = input;
  const deny = settings.denyCommands.map(({value}) => value);
  const prefixes = prefixEntries(rules, settings.approval.value);
  if (deny.length === 0 && prefixes.length === 0) return undefined;
  const programs = new Set([...deny, ...prefixes.map((entry) => entry.slice(3))].map(programOf));
  const listed = Object.keys(globalOptions).filter((name) => programs.has(name));
  const options = [
    ...listed.map((name) => ({name, spec: globalOptions[name]!})),
    ...Object.entries(interpreters).map(([kind, spec]) => ({name: `@${kind}`, spec})),
  ];
  return {
    deny,
    rules: prefixes,
    known: knownPrograms(new Set([...programs, ...interpreterNames, ...multiCallNames]), input),
    globalFlags: options.flatMap(({name, spec}) => [
      ...namesOf(name, spec.flags),
      ...namesOf(name, spec.optional).map((option) => `${option}?`),
      ...(spec.plus ? [`${name} -`] : []),
    ]),
    globalValues: options.flatMap(({name, spec}) => namesOf(name, spec.values)),
    globalEnds: options.flatMap(({name, spec}) => namesOf(name, spec.ends)),
    interpreters: Object.entries(interpreters).flatMap(([kind, {names}]) =>
      names.split(' ').map((name) => `@${kind} ${name}`),
    ),
    modules: moduleProgramRows.flatMap(([module, ...names]) =>
      names.map((name) => `@python ${module} ${name}`),
    ),
    multiCalls: multiCallPrograms.map(({name, shells}) => [name, ...shells].join(' ')),
  };
}

const multiCallNames = multiCallPrograms.map(({name}) => name);

/**
 * Lists the rules that deny and the rules that override one, the strongest first. The rules of an untrusted project are a separate
 * group. A rule that comes first, whether it denies or asks, keeps a weaker one from denying.
 */
function prefixEntries(rules: readonly Rule[], approval: Settings['approval']['value']): readonly string[] {
  const counted = rules.filter(
    ({scope, tool, effect, trusted, match}) =>
      scope === 'command_prefix' &&
      (tool === undefined || tool === 'bash') &&
      (trusted || effect !== 'allow') &&
      !(effect === 'ask' && skipsAskRules(approval)) &&
      normalPrefix(match) !== '' &&
      !match.includes('\0'),
  );
  if (!counted.some(({effect}) => effect === 'deny')) return [];
  return counted
    .toSorted((one, other) => compareRules(other, one).order)
    .map(
      ({trusted, effect, match}) =>
        `${trusted ? 0 : 1}${effect === 'deny' ? 'd' : 'p'} ${normalPrefix(match)}`,
    );
}

function programOf(pattern: string): string {
  const end = pattern.indexOf(' ');
  return end === -1 ? pattern : pattern.slice(0, end);
}

/**
 * Returns the files of the named programs, so that another name of such a file (link, copy) is denied too. Leaves out a file that
 * is several programs (`reboot` is a link to systemctl): denying one would deny all.
 */
function knownPrograms(
  programs: ReadonlySet<string>,
  {searchPath, workspace, exist}: ExecRulesInput,
): ExecRules['known'] {
  const folders = [...new Set(searchPath.split(':'))].filter(
    (folder) => path.isAbsolute(folder) && !isWithin(folder, workspace),
  );
  const searched = folders.flatMap((folder) => (isShims(folder) ? behindShims(folder) : [folder]));
  const names = [...programs].filter((name) => name !== '' && !/[*?\0]/.test(name));
  const asked = names.flatMap((name) => filesOf(name, searched).map((file) => ({name, file})));
  const there = exist(asked.map(({file}) => file));
  const found = asked
    .filter((_, index) => there[index])
    .flatMap(({name, file}) => realpathIfThere(file).map((target) => ({name, path: target})))
    .filter(({name, path: target}) => isOtherName(path.basename(name), path.basename(target)));
  return [...new Map(found.map((one) => [`${one.name}\0${one.path}`, one])).values()];
}

function filesOf(name: string, folders: readonly string[]): readonly string[] {
  if (!name.includes('/')) return folders.map((folder) => path.join(folder, name));
  return path.isAbsolute(name) ? [name] : [];
}

function isOtherName(name: string, file: string): boolean {
  return name === file || !isDispatcher(file);
}

/** Scripts of pyenv, rbenv, asdf and the like: the same text under each name, which starts the program of that name. */
function isShims(folder: string): boolean {
  return path.basename(folder) === 'shims';
}

/** The folders of those programs: `versions/3.11/bin` (pyenv), `installs/python/3.11/bin` (asdf, mise). */
function behindShims(shims: string): string[] {
  const top = path.dirname(shims);
  const tools = namesIn(path.join(top, 'installs')).map((tool) => path.join('installs', tool));
  return ['versions', ...tools].flatMap((folder) =>
    namesIn(path.join(top, folder)).map((version) => path.join(top, folder, version, 'bin')),
  );
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** `git -C` */
function namesOf(program: string, options = ''): string[] {
  const names = options.split(' ').filter((option) => option !== '');
  return names.map((option) => `${program} ${option.length === 1 ? `-${option}` : option}`);
}
