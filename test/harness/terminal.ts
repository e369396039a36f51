import {execaSync} from 'execa';
import {randomBytes} from 'node:crypto';
import path from 'node:path';
import {spawnAs, type Identity} from './identity.ts';
import {ionFile} from './package.ts';
import {until, untilNobodyNames} from './processes.ts';
import {environmentOf} from './run.ts';
import type {Scratch} from './scratch.ts';

/** A terminal with a shell in the workspace and `ion` on its PATH, in a tmux server of its own. */
export interface Terminal {
  /** Keys as tmux names them: `'C-c'`, `'Enter'`; other text is typed as it is. */
  keys(...keys: readonly string[]): void;
  line(text: string): void;
  screen(): string;
  /** The screen with escape sequences for colours and other attributes. */
  attributes(): string;
  /** Waits until the screen shows the text. */
  shows(what: string | RegExp): Promise<void>;
  resize(columns: number, rows: number): void;
  /** Hangs up and waits until ion has written its record and ended. Before that the folder must not be removed. */
  close(): Promise<unknown>;
}

export function openTerminal(scratch: Scratch, as: Identity): Terminal {
  const socket = path.join(scratch.root, `tmux-${randomBytes(3).toString('hex')}`);
  const tmux = (...args: readonly string[]): string => {
    const {stdout} = execaSync('tmux', ['-S', socket, '-f', '/dev/null', ...args], {
      // tmux starts its command with the user's shell, which for "nobody" is nologin.
      env: environmentOf(scratch, {TMUX: undefined, SHELL: '/bin/bash'}),
      extendEnv: false,
      stripFinalNewline: false,
      ...spawnAs(as),
    });
    return stdout;
  };
  tmux('new-session', '-d', '-x', '100', '-y', '30', '-c', scratch.work, 'bash --norc --noprofile -i');
  const server = Number(tmux('display-message', '-p', '#{pid}'));
  const terminal: Terminal = {
    keys: (...keys) => void tmux('send-keys', ...keys),
    line: (text) => {
      tmux('send-keys', '-l', '--', text);
      tmux('send-keys', 'Enter');
    },
    screen: () => tmux('capture-pane', '-p', '-J'),
    attributes: () => tmux('capture-pane', '-p', '-J', '-e'),
    shows: async (what) => {
      const found = (): boolean => {
        const screen = terminal.screen();
        return typeof what === 'string' ? screen.includes(what) : what.test(screen);
      };
      await until(`${String(what)} on the terminal`, found).catch((error: Error) => {
        throw new Error(`${error.message}; it shows:\n${terminal.screen()}`);
      });
    },
    resize: (columns, rows) => void tmux('resize-window', '-x', String(columns), '-y', String(rows)),
    close: () => {
      process.kill(server);
      return untilNobodyNames(scratch.root);
    },
  };
  terminal.line(`PS1='$ '; ion() { '${process.execPath}' '${ionFile}' "$@"; }; clear`);
  return terminal;
}
