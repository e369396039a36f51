import type {TestContext} from 'node:test';
import {own, type Identity} from './identity.ts';
import {skip} from './must-run.ts';
import {asksForNames, openWorld} from './network-world.ts';
import {ionFile} from './package.ts';
import {patience} from './patience.ts';
import {until} from './processes.ts';
import {openPty, type PtyTerminal} from './pty.ts';
import {makeScratch, type Scratch} from './scratch.ts';

export const config = `${asksForNames}deny = ["down.example"]
`;

export interface TerminalCase {
  readonly as?: Identity;
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
}

/** The end of a question about a name. */
export const question = /Allow\? y once .* N no:\s*$/;

/** Opens a terminal on which ion runs the command, in a world of servers. */
export async function onTerminal(
  t: TestContext,
  command: string | undefined,
  use: (terminal: PtyTerminal, scratch: Scratch) => Promise<void>,
  {as = own, env, files, args = ['run', '--config', 'ask.toml']}: TerminalCase = {},
): Promise<void> {
  const scratch = makeScratch(t, as, {'ask.toml': config, ...files});
  const world = await openWorld(makeScratch(t, as), as);
  if (typeof world === 'string') return skip(t, world);
  const through = world.through.map((word) => (word.startsWith('--wd=') ? `--wd=${scratch.work}` : word));
  const terminal = openPty(scratch, own, {
    columns: 150,
    argv:
      args[0] === 'INTERACTIVE'
        ? [...through, 'bash', '--rcfile', 'run.sh', '-i']
        : [...through, process.execPath, ionFile, ...args, ...(command === undefined ? [] : [command])],
    ...(env ? {env} : {}),
  });
  try {
    await use(terminal, scratch);
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${terminal.scrollback()}`, {cause: error});
  } finally {
    await terminal.close();
  }
}

/** Types the answer until the question has taken it: keys that come too early do not count. */
export async function answer(terminal: PtyTerminal, key: string): Promise<void> {
  await terminal.shows(question);
  for (let tries = 0; tries < 5; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 400));
    terminal.keys(key);
    const heard = (): boolean => new RegExp(`Allow\\?.*: ${key}\\s*$`).test(terminal.screen());
    if (await until('the echo', heard, 3000 * patience).catch(() => false)) break;
  }
  terminal.keys('Enter');
}

/** A timer of the kernel continues it. It shows another name, and stops itself as it was. */
export const continuedByTimer = `import ctypes, os, signal
class Event(ctypes.Structure):
    _fields_ = [('value', ctypes.c_void_p), ('signal', ctypes.c_int), ('rest', ctypes.c_byte * 52)]
libc, timer, event = ctypes.CDLL(None), ctypes.c_void_p(), Event(None, signal.SIGCONT)
signal.signal(signal.SIGCONT, lambda *_: None)
CLOCK_MONOTONIC = 1
assert libc.timer_create(CLOCK_MONOTONIC, ctypes.byref(event), ctypes.byref(timer)) == 0
assert libc.timer_settime(timer, 0, (ctypes.c_long * 4)(2, 0, 2, 0), None) == 0
while signal.pause() is None:
    open('/dev/tty', 'w').write('harmless.example')
    os.kill(os.getpid(), signal.SIGSTOP)
`;
