import path from 'node:path';
import type {Command} from 'commander';
import {collected} from '../collected.ts';
import {givenConfig} from '../given-config.ts';
import {findRepositoryTop} from '../../config/read/start-folder.ts';
import type {Host} from '../../session/host.ts';
import {configRequest} from '../../session/session-flags.ts';
import {homeOf} from '../home-of.ts';
import {print} from '../output.ts';
import {asJson, printed, type CliResult} from '../result.ts';

interface Json {
  readonly json?: true;
}

interface ConfigFlags extends Json {
  readonly config?: string | undefined;
  readonly set?: readonly string[] | undefined;
  readonly mcp?: string | undefined;
  readonly all?: true;
  readonly schema?: true;
}

/**
 * Commands about ion's own state: config, trust, rules, permissions, refusals, audit. None of them runs a command.
 */
export function addOwnCommands(
  program: Command,
  host: () => Host,
  does: (result: Promise<number>) => void,
): void {
  const answer = (result: Promise<CliResult>): void => does(result.then(print));

  program
    .command('config')
    .description('show the settings that differ from the defaults, each with its file and line')
    .argument('[key]', 'one key ("sandbox.network") or one table ("sandbox.limits")')
    .option('--all', 'show every value, also defaults and toolchains')
    .option('--schema', 'print a JSON Schema of the config file, for editors')
    .option('--config <file>', 'use this config file, above the project and user files')
    .option('--set <key=value>', 'set one key, as for "ion run"', collected)
    .option('--mcp <server>', 'show the settings of this MCP server: with its sections [mcp.<server>]')
    .option('--json', 'as JSON')
    .action((key: string | undefined, {schema, config, set, mcp, json, all}: ConfigFlags) =>
      answer(
        schema
          ? import('../../config/json-schema.ts').then(({jsonSchema}) => asJson(jsonSchema()))
          : import('./config-command.ts').then(({runConfig}) =>
              runConfig(
                requestOf(host(), {config, set, mcp}),
                {json: json === true, all: all === true, ...(key === undefined ? {} : {key})},
                host(),
              ),
            ),
      ),
    );
  program
    .command('trust')
    .description("trust this workspace's config in its current content: it may loosen settings")
    .argument('[hash]', 'the hash of the config that you have read; needed without a terminal')
    .option('--json', 'as JSON')
    .action((hash: string | undefined, options: Json) =>
      answer(
        Promise.all([import('./trust-command.ts'), import('../confirm.ts')]).then(
          ([{runTrust}, {confirmOn}]) =>
            runTrust(requestOf(host()), {
              json: options.json === true,
              ...(hash === undefined ? {} : {hash: hash.toLowerCase()}),
              confirm: confirmOn(host()),
            }),
        ),
      ),
    );
  program
    .command('untrust')
    .description("stop trusting this workspace's config: it may only tighten settings")
    .argument('[folder]', 'another workspace')
    .action((folder: string | undefined) =>
      answer(import('./trust-command.ts').then(({runUntrust}) => runUntrust(requestOf(host()), folder))),
    );
  program
    .command('trusts')
    .description('list the trusted workspaces, and whether each config is unchanged')
    .option('--json', 'as JSON')
    .action((options: Json) =>
      answer(
        import('./trust-command.ts').then(({runTrusts}) => {
          const {home, uid} = host();
          return runTrusts({home, uid}, {json: options.json === true});
        }),
      ),
    );
  program
    .command('permissions')
    .description('show the rules in force and the latest decisions')
    .option('--json', 'as JSON')
    .action((options: Json) =>
      answer(
        import('./permissions-command.ts').then(({permissionsCommand}) =>
          permissionsCommand(host(), options.json === true),
        ),
      ),
    );
  program
    .command('why')
    .description('show what the latest run here was refused, and what would allow it')
    .argument('[id]', 'the id of a refusal or a run, from a message or "ion audit list"')
    .action((id: string | undefined) =>
      answer(import('./why-command.ts').then(({whyCommand}) => whyCommand(host(), id))),
    );
  program
    .command('allow')
    .description('allow in this workspace what the latest run was refused; asks for each entry')
    .argument('[id]', 'the id of a refusal or a run, from a message or "ion audit list"')
    .action((id: string | undefined) =>
      answer(import('./allow-command.ts').then(({allowCommand}) => allowCommand(host(), id))),
    );
  program
    .command('hook')
    .description('run the hooks of an event of an agent, with JSON on stdin')
    .argument('<event>', 'SessionStart, Stop or PreCompact')
    .action((event: string) =>
      answer(import('./hook-command.ts').then(({hookCommand}) => hookCommand(event, host()))),
    );
  program
    .command('completion')
    .description('print the completion script of a shell')
    .argument('<shell>', 'bash, zsh or fish')
    .action((shell: string) =>
      answer(
        import('./completion-command.ts').then(({completionScript}) =>
          printed(completionScript(program, shell)),
        ),
      ),
    );
  addRules(program, host, answer);
  addAudit(program, host, answer);
}

function addRules(program: Command, host: () => Host, answer: (result: Promise<CliResult>) => void): void {
  const rules = program.command('rules').description('add, remove or list rules that ion stores');
  const run = async (input: object): Promise<CliResult> => {
    const [{runRules}, {gather}] = await Promise.all([
      import('./rules-command.ts'),
      import('../../config/read/gather.ts'),
    ]);
    const {lock, workspace} = await gather(requestOf(host()));
    const place = {home: homeOf(host()), cwd: host().cwd, workspace, lock};
    return runRules({...place, ...input} as Parameters<typeof runRules>[0]);
  };
  rules
    .command('list', {isDefault: true})
    .description('list the rules with their ids')
    .option('--json', 'as JSON')
    .action((options: Json) => answer(run({verb: 'list', json: options.json === true})));
  rules
    .command('add')
    .description('store a rule, for every workspace or for this one')
    .argument('<effect>', 'allow, ask or deny')
    .argument('<scope>', 'tool, path, command_prefix or mcp_server')
    .argument('<match>', 'what the rule matches')
    .option('--tool <name>', 'with scope path: match only this tool')
    .option('--reason <text>', 'show this reason with each decision')
    .option('--workspace', 'apply only to this workspace')
    .option('--json', 'as JSON')
    .action(
      (
        effect: string,
        scope: string,
        match: string,
        options: Json & {tool?: string; reason?: string; workspace?: true},
      ) =>
        answer(
          run({
            verb: 'add',
            effect,
            scope,
            match,
            ...(options.tool === undefined ? {} : {tool: options.tool}),
            ...(options.reason === undefined ? {} : {reason: options.reason}),
            workspaceOnly: options.workspace === true,
            json: options.json === true,
          }),
        ),
    );
  rules
    .command('remove')
    .description('forget a rule')
    .argument('<id>', 'the id that "ion rules list" shows')
    .action((id: string) => answer(run({verb: 'remove', id})));
}

function addAudit(program: Command, host: () => Host, answer: (result: Promise<CliResult>) => void): void {
  const audit = program.command('audit').description('read the audit log: list, show, tail, verify, export');
  const run = async ({here, ...input}: Readonly<Record<string, unknown>>): Promise<CliResult> => {
    const {runAudit} = await import('./audit-command.ts');
    const {cwd} = host();
    const folder = path.join(homeOf(host()), '.ion/audit');
    return runAudit({
      folder,
      now: new Date(),
      ...(here ? {here: findRepositoryTop(cwd) ?? cwd} : {}),
      ...input,
    } as Parameters<typeof runAudit>[0]);
  };
  const append = async (): Promise<object> => {
    const {appendFunction} = await import('../../session/open-audit-log.ts');
    const {probeMachine} = await import('../../sandbox/machine.ts');
    return {append: await appendFunction(await probeMachine(host().packageRoot))};
  };
  audit
    .command('list', {isDefault: true})
    .description('list the latest runs, oldest first: folder, exit, duration, refusals')
    .option('--here', 'list only runs of this workspace')
    .option('--since <time>', '"2h", "3d" or a date')
    .option('--decision <effect>', 'allow or deny')
    .option('--reason <code>', 'a reason code')
    .option('--violations', 'list only runs with refusals by the boundary')
    .option('-n, --limit <number>', 'list at most this many (default 100; with --json all)')
    .option('--json', 'as JSON')
    .action(({limit, ...options}: Record<string, string | true>) =>
      answer(run({verb: 'list', ...(limit === undefined ? {} : {limit: Number(limit)}), ...options})),
    );
  audit
    .command('show')
    .description('show every event of one run in full')
    .argument('<run>', 'the id of a run, or its first characters')
    .option('--json', 'as JSON')
    .action((id: string, options: Json) => answer(run({verb: 'show', run: id, ...options})));
  audit
    .command('tail')
    .description('show the last events')
    .option('-n, --count <number>', 'show this many events (default 20)')
    .option('--since <time>', '"2h", "3d" or a date')
    .option('--decision <effect>', 'allow, ask or deny')
    .option('--reason <code>', 'a reason code')
    .option('--violations', 'show only refusals by the boundary')
    .option('--json', 'as JSON')
    .action(({count, ...options}: Json & {count?: string}) =>
      answer(run({verb: 'tail', ...(count === undefined ? {} : {count: Number(count)}), ...options})),
    );
  audit
    .command('verify')
    .description('check that the log is unchanged')
    .option('--json', 'as JSON')
    .action((options: Json) => answer(append().then((made) => run({verb: 'verify', ...made, ...options}))));
  audit
    .command('export')
    .description('print every event of the log, one JSON object per line')
    .option('--since <time>', '"2h", "3d" or a date')
    .action((options: {since?: string}) => answer(run({verb: 'export', ...options})));
}

function requestOf(
  host: Host,
  {config, set, mcp}: Pick<ConfigFlags, 'config' | 'set' | 'mcp'> = {},
): ReturnType<typeof configRequest> {
  return configRequest(
    host,
    {
      for: 'preview',
      ...givenConfig(config),
      ...(set === undefined ? {} : {sets: set}),
      ...(mcp === undefined ? {} : {mcpServer: mcp}),
    },
    findRepositoryTop(host.cwd),
  );
}
