import path from 'node:path';
import type {Command} from 'commander';
import {findRepositoryTop} from '../../config/read/start-folder.ts';
import {IonError} from '../../errors.ts';
import {configRequest, type Host} from '../../session/run-plan.ts';
import {print} from '../output.ts';
import {asJson, printed, type CliResult} from '../result.ts';

interface Json {
  readonly json?: true;
}

interface ConfigFlags extends Json {
  readonly config?: string;
  readonly all?: true;
  readonly schema?: true;
}

/** Commands about ion's own state: config, trust, rules, permissions, audit. None of them runs anything. */
export function addOwnCommands(
  program: Command,
  host: () => Host,
  does: (result: Promise<number>) => void,
): void {
  const answer = (result: Promise<CliResult>): void => does(result.then(print));

  program
    .command('config')
    .description('what differs from the defaults, each value with the file and line it comes from')
    .argument('[key]', 'one key ("sandbox.network") or a table of keys ("sandbox.limits")')
    .option('--all', 'every value, defaults and toolchains too')
    .option('--schema', 'a JSON Schema of the config file, for editors')
    .option('--config <file>', 'a config file of your own')
    .option('--json', 'as JSON')
    .action((key: string | undefined, {schema, config, json, all}: ConfigFlags) =>
      answer(
        schema
          ? import('../../config/json-schema.ts').then(({jsonSchema}) => asJson(jsonSchema()))
          : import('./config-command.ts').then(({runConfig}) =>
              runConfig(
                requestOf(host(), config),
                {json: json === true, all: all === true, ...(key === undefined ? {} : {key})},
                host(),
              ),
            ),
      ),
    );
  program
    .command('trust')
    .description("let this workspace's config say anything, as it is now")
    .argument('[hash]', 'that of the config that you have read, where there is no terminal to ask on')
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
    .description("let this workspace's config only tighten again")
    .argument('[folder]', 'another workspace')
    .action((folder: string | undefined) =>
      answer(import('./trust-command.ts').then(({runUntrust}) => runUntrust(requestOf(host()), folder))),
    );
  program
    .command('trusts')
    .description('every trusted workspace, and whether its config is still the trusted one')
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
    .description('rules in force, and the latest decisions')
    .option('--json', 'as JSON')
    .action((options: Json) =>
      answer(
        import('./permissions-command.ts').then(({permissionsCommand}) =>
          permissionsCommand(host(), options.json === true),
        ),
      ),
    );
  program
    .command('hook')
    .description('run the hooks of an event that an agent has, and ion has not; JSON for them on stdin')
    .argument('<event>', 'SessionStart, Stop or PreCompact')
    .action((event: string) =>
      answer(import('./hook-command.ts').then(({hookCommand}) => hookCommand(event, host()))),
    );
  program
    .command('completion')
    .description('the completion script of a shell')
    .argument('<shell>', 'bash, zsh or fish')
    .action((shell: string) =>
      answer(
        import('../completion.ts').then(({completionScript}) => printed(completionScript(program, shell))),
      ),
    );
  addRules(program, host, answer);
  addAudit(program, host, answer);
}

function addRules(program: Command, host: () => Host, answer: (result: Promise<CliResult>) => void): void {
  const rules = program.command('rules').description('rules that ion keeps for you: add, remove, list');
  const run = async (input: object): Promise<CliResult> => {
    const [{runRules}, {gather}] = await Promise.all([
      import('./rules-command.ts'),
      import('../../config/read/gather.ts'),
    ]);
    const {cwd} = host();
    const {lock} = await gather(requestOf(host()));
    const place = {home: homeOf(host()), cwd, workspace: findRepositoryTop(cwd) ?? cwd, lock};
    return runRules({...place, ...input} as Parameters<typeof runRules>[0]);
  };
  rules
    .command('list')
    .description('the rules, each with its id')
    .option('--json', 'as JSON')
    .action((options: Json) => answer(run({verb: 'list', json: options.json === true})));
  rules
    .command('add')
    .description('keep a rule, for every workspace or for this one')
    .argument('<effect>', 'allow, ask or deny')
    .argument('<scope>', 'tool, path, command_prefix or mcp_server')
    .argument('<match>', 'what the rule is about')
    .option('--tool <name>', 'with scope path: only for this tool')
    .option('--reason <text>', 'shown with each decision')
    .option('--workspace', 'for this workspace only')
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
    .argument('<id>', 'as "ion rules list" shows it')
    .action((id: string) => answer(run({verb: 'remove', id})));
}

function addAudit(program: Command, host: () => Host, answer: (result: Promise<CliResult>) => void): void {
  const audit = program.command('audit').description('the audit log: list, show, tail, verify, export');
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
    .description('the latest runs, oldest first: folder, exit, duration, refusals')
    .option('--here', 'only runs of this workspace')
    .option('--since <time>', '"2h", "3d" or a date')
    .option('--decision <effect>', 'allow or deny')
    .option('--reason <code>', 'a reason code')
    .option('--violations', 'only runs of which the boundary refused something')
    .option('-n, --limit <number>', 'how many at most (100; with --json all)')
    .option('--json', 'as JSON')
    .action(({limit, ...options}: Record<string, string | true>) =>
      answer(run({verb: 'list', ...(limit === undefined ? {} : {limit: Number(limit)}), ...options})),
    );
  audit
    .command('show')
    .description('every event of one run, with all that is in it')
    .argument('<run>', 'the id of a run, or its beginning')
    .option('--json', 'as JSON')
    .action((id: string, options: Json) => answer(run({verb: 'show', run: id, ...options})));
  audit
    .command('tail')
    .description('the last events')
    .option('-n, --count <number>', 'how many events (20)')
    .option('--since <time>', '"2h", "3d" or a date')
    .option('--decision <effect>', 'allow, ask or deny')
    .option('--reason <code>', 'a reason code')
    .option('--violations', 'only what the boundary refused')
    .option('--json', 'as JSON')
    .action(({count, ...options}: Json & {count?: string}) =>
      answer(run({verb: 'tail', ...(count === undefined ? {} : {count: Number(count)}), ...options})),
    );
  audit
    .command('verify')
    .description('whether the log is as it was written')
    .option('--json', 'as JSON')
    .action((options: Json) => answer(append().then((made) => run({verb: 'verify', ...made, ...options}))));
  audit
    .command('export')
    .description('every event as it stands in the log, one JSON object a line')
    .option('--since <time>', '"2h", "3d" or a date')
    .action((options: {since?: string}) => answer(run({verb: 'export', ...options})));
}

function requestOf(host: Host, configFile?: string): ReturnType<typeof configRequest> {
  return configRequest(host, configFile === undefined ? {} : {configFile}, findRepositoryTop(host.cwd));
}

function homeOf({home}: Host): string {
  if (!home) throw new IonError('HOME is not set: there is no place for rules and logs', {help: 'set HOME'});
  return home;
}
