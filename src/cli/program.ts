import {Command, CommanderError} from 'commander';
import {nearest} from '../system/nearest.ts';
import {IonError, quoted} from '../errors.ts';
import type {Host} from '../session/session.ts';
import {collected} from './collected.ts';
import {enterFolders} from './enter-folder.ts';
import type {RunArguments, RunFlags} from './run-flags.ts';
import {checkOptions, parsePromptOptions, runOptions} from './run-options.ts';
import {addOwnCommands} from './commands/own-commands.ts';
import {print, writeOut} from './output.ts';
import {chooseColor} from './paint.ts';
import type {McpFlags} from './commands/mcp-command.ts';
import type {WrapFlags} from './commands/mcp-wrap-command.ts';

/** Options of other tools and of earlier versions of ion, with the replacement for each. */
const removed: Record<string, string> = {
  '-r': 'use --read',
  '-w': 'write mode is the default',
  '--write': 'write mode is the default',
  '-y': 'drop it: ion has no option that answers yes',
  '--yes': 'drop it: ion has no option that answers yes',
  '--agi': 'use --no-sandbox (write mode is the default)',
};

type Result = Promise<number>;

/** Parses the command line and runs the command. Returns the exit code. A usage error is an IonError (125). */
export async function runProgram(args: readonly string[], host: () => Host, version: string): Result {
  let result: Result | undefined;
  const atPrompt = (): Host => ({...host(), reader: 'prompt'});
  const own = (words: readonly string[]): Result => runProgram(words, atPrompt, version);
  const prompt = parsePromptOptions(args);
  if (prompt) {
    enterFolders(undefined, prompt.C);
    if (prompt.color !== undefined) chooseColor(prompt.color);
    const {promptCommand} = await import('./commands/prompt-command.ts');
    return promptCommand(prompt, host(), own);
  }
  // Returns nothing: commander would chain a promise of its own to a returned one, and nothing would handle its rejection.
  const program = buildProgram(args, host, version, (started) => {
    result = started;
  });
  try {
    program.parse(args, {from: 'user'});
  } catch (error) {
    if (error instanceof CommanderError) return usage(error, args, program);
    throw error;
  }
  return result ?? 0;
}

function buildProgram(
  args: readonly string[],
  host: () => Host,
  version: string,
  does: (result: Result) => void,
): Command {
  const program = new Command('ion')
    .description('run commands in a sandbox that the operating system enforces; without a command: a prompt')
    .version(version, '-V, --version')
    .enablePositionalOptions()
    .helpCommand(true)
    .exitOverride()
    .configureOutput({writeOut, writeErr: () => undefined})
    .hook('preAction', (top, command) => {
      const {color} = command.optsWithGlobals<{color?: string}>();
      enterFolders(top.opts<{C?: string}>().C, command === top ? undefined : command.opts<{C?: string}>().C);
      if (color !== undefined) chooseColor(color);
    })
    // Never called: parsePromptOptions handles words without a command. It is here because commander reports an unknown command
    // only if there is an action.
    .action(() => undefined);
  addRun(program, args, (given) =>
    does(import('./commands/run-command.ts').then(({run}) => run(given, host()))),
  );
  addCheck(program, args, (given) =>
    does(
      import('./commands/check-command.ts').then(({checkCommand}) => checkCommand(given, host())).then(print),
    ),
  );
  program
    .command('doctor')
    .description('show what this machine enforces, tested in a scratch sandbox')
    .option('--json', 'as JSON')
    .action((options: {json?: true}) =>
      does(import('./commands/doctor-command.ts').then(({doctor}) => doctor(options, host()))),
    );
  addMcp(program, host, does);
  addOwnCommands(program, host, does);
  addEverywhere(program);
  return program;
}

function addMcp(program: Command, host: () => Host, does: (result: Result) => void): void {
  const mcp = program
    .command('mcp')
    .description('serve the tools of the sandbox to an agent, by the Model Context Protocol on stdio')
    .enablePositionalOptions()
    .action((options: McpFlags) =>
      does(import('./commands/mcp-command.ts').then(({mcpCommand}) => mcpCommand(options, host()))),
    );
  const wrap = mcp
    .command('wrap')
    .description('run an MCP server in the sandbox, filter its calls and explain its failures')
    .argument(
      '[command...]',
      'the command of the server and its arguments; with --file: names of servers, by default all',
    )
    .passThroughOptions()
    .option('--name <name>', 'the name of the server in rules and in [mcp.<name>]')
    .option('--file <file>', 'take the servers from a file of the form of .mcp.json')
    .action((words: string[], options: WrapFlags) =>
      does(
        import('./commands/mcp-wrap-command.ts').then(({mcpWrapCommand}) =>
          mcpWrapCommand(words, options, host()),
        ),
      ),
    );
  for (const command of [mcp, wrap])
    command
      .option('--read', 'read mode: only commands that read, nothing writable')
      .option('--timeout <time>', 'the time limit of each command, as for "ion run"')
      .option('--config <file>', 'use this config file, above the project and user files')
      .option('--set <key=value>', 'set one key, as for "ion run"', collected);
  mcp
    .command('accept')
    .description('accept definitions of tools that are new or changed; asks on the terminal')
    .argument('<server>', 'the name of the server')
    .argument('[tool]', 'one tool')
    .action((server: string, tool: string | undefined) =>
      does(
        import('./commands/mcp-accept-command.ts')
          .then(({mcpAcceptCommand}) => mcpAcceptCommand(server, tool, host()))
          .then(print),
      ),
    );
}

/** Adds the options that every command has. */
function addEverywhere(command: Command): void {
  if (!command.options.some(({long}) => long === '--color'))
    command.option('--color <when>', "colour ion's own lines: auto, always or never");
  if (!command.options.some(({short}) => short === '-C'))
    command.option('-C <folder>', 'start in this folder');
  for (const one of command.commands) addEverywhere(one);
}

/** Defines `ion run` for commander. run-options.ts must parse the same. */
export function addRun(program: Command, args: readonly string[], act: (given: RunArguments) => void): void {
  const command = program
    .command('run')
    .description('run one bash command, or a program with its arguments, in the sandbox')
    .argument('<command...>', 'a bash command in quotes, or a program and its arguments')
    .passThroughOptions()
    .action((words: string[], options: RunFlags) => act({words, argv: isArgv(words, args), options}));
  addOptions(command, runOptions);
}

/** Defines `ion check` for commander, as above. */
export function addCheck(
  program: Command,
  args: readonly string[],
  act: (given: RunArguments) => void,
): void {
  const command = program
    .command('check')
    .description('explain the decision on a command, without running it')
    .argument('[command...]', 'a bash command in quotes, or a program and its arguments; with --tool: paths')
    .passThroughOptions()
    .action((words: string[], options: RunFlags) => act({words, argv: isArgv(words, args), options}));
  addOptions(command, checkOptions);
}

function addOptions(command: Command, table: typeof runOptions | typeof checkOptions): void {
  for (const option of table) {
    const flag = 'takes' in option ? `${option.flag} ${option.takes}` : option.flag;
    if ('repeats' in option) command.option(flag, option.about, collected);
    else command.option(flag, option.about);
  }
}

/**
 * The operands are the last arguments. Commander removes a `--` before them, so look for it in the original
 * arguments.
 */
function isArgv(words: readonly string[], args: readonly string[]): boolean {
  return words.length > 1 || args[args.length - words.length - 1] === '--';
}

function noCommand(word: string, program: Command): IonError {
  const help = '"ion --help" lists the commands; to run a shell command: ion run "<bash command>"';
  return noSuchCommand('', word, {command: program, help});
}

/** The error for an unknown command. `group` are the words before it: a command with subcommands, or empty. */
function noSuchCommand(
  group: string,
  word: string,
  {command, help}: {readonly command: Command; readonly help: string},
): IonError {
  const before = group === '' ? '' : `${group} `;
  const meant = nearest(
    word,
    command.commands.map((one) => one.name()),
  );
  return new IonError(`there is no command ${quoted(`${before}${word}`)}`, {
    help: meant === undefined ? help : `did you mean "ion ${before}${meant}"? ${help}`,
  });
}

function usage(error: CommanderError, args: readonly string[], program: Command): number {
  if (error.exitCode === 0) return 0;
  const gone = args.find((word) => Object.hasOwn(removed, word));
  if (error.code === 'commander.unknownOption' && gone) {
    throw new IonError(`there is no option ${gone}`, {help: removed[gone]!});
  }
  const {name, rest, command} = commandIn(program, args);
  const word = rest.find((one) => !one.startsWith('-')) ?? '';
  const shows = `"ion --help" and "ion ${name || 'run'} --help" list the options`;
  if (error.code === 'commander.help' && name === '') throw noCommand(args[args.length - 1] ?? '', program);
  if (error.code === 'commander.excessArguments' && error.message.includes('Expected 0 arguments')) {
    if (name === '') throw noCommand(word, program);
    if (command.commands.length === 0)
      throw new IonError(`"ion ${name}" does not take ${quoted(word)}`, {help: shows});
    throw noSuchCommand(name, word, {command, help: shows});
  }
  if (error.code === 'commander.help') {
    const verbs = command.commands.map((one) => one.name()).join(', ');
    throw new IonError(`"ion ${name}" needs one of its commands: ${verbs}`, {help: shows});
  }
  const misplaced = name === '' && runOptions.find(({flag}) => flag === rest[0]);
  if (error.code === 'commander.unknownOption' && misplaced) {
    throw new IonError(`${misplaced.flag} is an option of "ion run"`, {
      help: `write: ion run ${misplaced.flag}${'takes' in misplaced ? ` ${misplaced.takes}` : ''} "<bash command>"`,
    });
  }
  const [problem = '', meant] = error.message.replace(/^error: /, '').split(/\n\(Did you mean (.*)\?\)/);
  throw new IonError(
    problem.replaceAll(/'([^']*)'/g, (_, text: string) => quoted(text)),
    {help: meant === undefined ? shows : `did you mean ${meant}? ${shows}`},
  );
}

/** The command that the first words name (`audit show`), and the words after it. */
function commandIn(
  program: Command,
  args: readonly string[],
): {command: Command; name: string; rest: readonly string[]} {
  let command = program;
  let at = 0;
  for (; at < args.length; at++) {
    const next = command.commands.find((one) => one.name() === args[at]);
    if (!next) break;
    command = next;
  }
  return {command, name: args.slice(0, at).join(' '), rest: args.slice(at)};
}
