import assert from 'node:assert/strict';
import {mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {test, type TestContext} from 'node:test';
import {noLandlock} from '../conformance/kernels.ts';
import {testers, type Identity} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
import {compiled} from '../harness/native.ts';
import {ionFile} from '../harness/package.ts';
import {until} from '../harness/processes.ts';
import {makeScratch, type Scratch} from '../harness/scratch.ts';
import {openTerminal, type Terminal} from '../harness/terminal.ts';

async function stopped(terminal: Terminal): Promise<void> {
  await terminal.shows('up2');
  terminal.keys('C-z');
  await terminal.shows(/Stopped/);
}

async function answers(terminal: Terminal): Promise<void> {
  terminal.line('echo shell$((1+1))');
  await terminal.shows('shell2');
}

/**
 * Makes the foreground process group the owner of the terminal's signals and fills the terminal, so that the kernel sends a
 * signal when there is room again.
 */
const asynchronous = `
import fcntl, os, signal, sys, termios, time
if os.fork(): sys.exit(os.waitstatus_to_exitcode(os.wait()[1]))
os.setsid()
terminal = os.open(os.ttyname(0), os.O_RDWR | os.O_NONBLOCK | os.O_NOCTTY)
for way in (lambda: fcntl.ioctl(terminal, termios.FIOASYNC, b'\\1\\0\\0\\0'),
            lambda: fcntl.fcntl(terminal, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)):
    try: fcntl.fcntl(terminal, 10, signal.SIGKILL)
    except OSError: pass
    try: way()
    except OSError: continue
    for i in range(200):
        try: os.write(terminal, b'.' * 4000)
        except OSError: time.sleep(0.01)
    sys.exit(0)
sys.exit(1)
`;

/** On a terminal a command behaves as without ion. The answers are computed, so that the echo of the input cannot match. */
const cases: readonly {
  readonly name: string;
  readonly needs?: readonly string[];
  readonly run: (terminal: Terminal, scratch: Scratch) => Promise<void>;
}[] = [
  {
    name: 'all three streams are the terminal',
    run: async (terminal) => {
      terminal.line(`ion run 'test -t 0 && test -t 1 && test -t 2 && echo tty$((1+1)); tty'`);
      await terminal.shows(/tty2\n\/dev\/(pts\/\d+|console)/);
    },
  },
  ...[
    {name: 'its output, with no terminal as input', fd: '1', rest: '</dev/null'},
    {name: 'only its errors on the terminal', fd: '2', rest: '</dev/null >/dev/null'},
    {
      name: 'output on a terminal that it opens',
      fd: 'os.open(\\"/dev/tty\\", 2)',
      rest: '</dev/null >/dev/null 2>&1',
    },
    {name: 'its output, from the background', fd: '1', rest: '</dev/null & wait'},
  ].map(({name, fd, rest}) => ({
    name: `a command that stops ${name}`,
    needs: ['python3'],
    run: async (terminal: Terminal) => {
      const stop = `import os, signal, termios; signal.signal(signal.SIGTTOU, signal.SIG_IGN); termios.tcflow(${fd}, termios.TCOOFF)`;
      terminal.line(
        `ion run 'python3 -c "${stop}"; { echo x > ~/x; } 2>/dev/null' ${rest}; echo after$((1+1))`,
      );
      await terminal.shows('after2');
    },
  })),
  {
    name: 'a command to which the terminal would send SIGKILL, without Landlock',
    needs: ['python3'],
    run: async (terminal, {work}) => {
      writeFileSync(`${work}/async.py`, asynchronous);
      const old = [compiled('deny-syscalls.c'), ...noLandlock, '--', process.execPath, ionFile].join(' ');
      terminal.line(
        `${old} run 'python3 async.py; echo refused$?' 2>&1 | tr -d .; echo after\${PIPESTATUS[0]}`,
      );
      await terminal.shows(/refused1\n[^]*after0/);
    },
  },
  {
    name: 'a command that allows others to read the terminal',
    run: async (terminal) => {
      terminal.line(
        'chmod 600 $(tty); ion run "chmod 666 /dev/stdin; stat -Lc in%a /dev/stdin"; stat -c out%a $(tty)',
      );
      await terminal.shows('in666');
      await terminal.shows('out600');
    },
  },
  {
    name: 'Ctrl-C ends the command once, and the loop around ion',
    run: async (terminal) => {
      terminal.line(
        `for i in 1 2 3; do ion run 'trap "echo got\\$((1+1))" INT; sh -c "echo up$((1+1)); exec sleep 300"; exec sleep 300'; done; echo after$((1+1))`,
      );
      await terminal.shows('up2');
      terminal.keys('C-c');
      await terminal.shows('got2');
      terminal.keys('C-c');
      await terminal.shows(/\$ $/m);
      assert.equal(terminal.screen().split('got2').length - 1, 1, terminal.screen());
      assert.ok(!terminal.screen().includes('after2'), terminal.screen());
    },
  },
  {
    name: 'Ctrl-Z stops the command and ion, fg goes on',
    run: async (terminal) => {
      terminal.line(`ion run 'echo up$((1+1)); read x; echo got$x$((1+1))'`);
      await stopped(terminal);
      await answers(terminal);
      terminal.line('fg');
      // While bash still reads in raw mode, a typed newline is lost, also without ion. Then `read` waits for another.
      await terminal.shows(/^\$ fg\n'/m);
      terminal.line('in');
      await terminal.shows('gotin2');
    },
  },
  {
    name: 'a stopped run that ends in the background returns the terminal to the shell',
    run: async (terminal) => {
      terminal.line(`ion run 'mkfifo go; echo up$((1+1)); read x < go; :'`);
      await stopped(terminal);
      terminal.line('bg');
      // The shell reads during this time. It would end if it could not read.
      terminal.line('(sleep .2; echo x > go; sleep 1; echo ended$((1+1))) &');
      await terminal.shows('ended2');
      await answers(terminal);
    },
  },
  {
    name: 'a run in the background leaves the terminal unchanged when it ends',
    run: async (terminal, {work}) => {
      // It starts while the shell reads a line, with the terminal in raw mode.
      terminal.line(
        `(sleep .3; ion run 'echo up$((1+1)); until test -e go; do sleep .1; done'; echo ended$((1+1))) &`,
      );
      await terminal.shows('up2');
      terminal.line('echo cat$((1+1)); cat > lines; echo read$((1+1))');
      await terminal.shows('cat2');
      writeFileSync(`${work}/go`, '');
      await terminal.shows('ended2');
      terminal.line('a line');
      terminal.keys('C-d');
      await terminal.shows('read2');
    },
  },
  {
    name: 'a stopped run that is killed returns the terminal to the shell',
    run: async (terminal) => {
      terminal.line(`ion run 'echo up$((1+1)); exec sleep 300'`);
      await stopped(terminal);
      terminal.line('p=-$(jobs -p); (sleep .2; kill -- $p; kill -CONT -- $p; sleep 1; echo ended$((1+1))) &');
      await terminal.shows('ended2');
      await answers(terminal);
    },
  },
  {
    name: 'its own terminal by its name',
    run: async (terminal) => {
      terminal.line(`ion run 'echo name$((1+1)) > $(tty); node -p 40+2; true'; echo rc$?`);
      await terminal.shows('rc0');
      assert.match(terminal.screen(), /^name2\n42\nrc0$/m);
    },
  },
  {
    name: 'Ctrl-\\ ends the command',
    run: async (terminal) => {
      terminal.line(`ulimit -c 0; ion run 'echo up$((1+1)); exec sleep 300'; echo rc$?`);
      await terminal.shows('up2');
      terminal.keys('C-\\');
      await terminal.shows('rc131');
    },
  },
  {
    name: 'what an untrusted project would loosen is reported once, and again when it changes',
    run: async (terminal, {home, work}) => {
      mkdirSync(`${work}/.ion`);
      const says = (root: string): void =>
        writeFileSync(`${work}/.ion/config.toml`, `[sandbox]\nwrite_roots = ["${root}"]\n`);
      const run = async (n: number): Promise<string> => {
        terminal.line(`clear; ion run 'echo ran$((${n}+0))'`);
        await terminal.shows(new RegExp(`^ran${n}$`, 'm'));
        return terminal.screen();
      };
      says('/var/one');
      assert.match(await run(1), /ignored: sandbox.write_roots = .*\/var\/one/);
      assert.doesNotMatch(await run(2), /ignored/);
      // A headless run in this terminal session reports it once too.
      terminal.line(`clear; ion run 'echo ran3' 2> err; cat err | tr a-z A-Z`);
      await terminal.shows(/IGNORED: SANDBOX.WRITE_ROOTS/);
      terminal.line(`clear; ion run 'echo ran3' 2> err; wc -c < err; echo end$((1+1))`);
      await terminal.shows(/^0\nend2$/m);
      // A run of no terminal session has its own log.
      terminal.line(
        `clear; export -f ion; for i in 1 2; do setsid -w bash -c 'ion run true' 2>&1 | grep -c ignored: ; done; echo end$((1+2))`,
      );
      await terminal.shows(/^1\n1\nend3$/m);
      // A comment changes the line number, but not the content.
      writeFileSync(`${work}/.ion/config.toml`, `# a comment\n[sandbox]\nwrite_roots = ["/var/one"]\n`);
      assert.doesNotMatch(await run(6), /ignored/);
      says('/var/two');
      assert.match(await run(4), /ignored: sandbox.write_roots = .*\/var\/two/);
      // The command cannot forge the record of reports. Without a place for the record, ion reports it again.
      terminal.line(`clear; ion run 'rm -r ${home}/.ion/reported; echo forged$((1+1))'`);
      await terminal.shows('forged2');
      assert.equal(readdirSync(`${home}/.ion/reported`).length, 3);
      rmSync(`${home}/.ion/reported`, {recursive: true});
      writeFileSync(`${home}/.ion/reported`, '');
      assert.match(await run(5), /ignored: sandbox.write_roots/);
    },
  },
  {
    name: 'the window size is known, and changes arrive',
    run: async (terminal) => {
      terminal.line(
        `ion run 'trap "stty size" WINCH; stty size; until read -rsn 1 -t 0.1; do :; done'; echo rc$?`,
      );
      await terminal.shows('30 100');
      terminal.resize(80, 20);
      await terminal.shows('20 80');
      terminal.keys('Enter');
      await terminal.shows('rc0');
    },
  },
  {
    name: 'an editor writes a file',
    needs: ['vi'],
    run: async (terminal, {work}) => {
      terminal.line(`ion run 'vi -u NONE note'; echo rc$?`);
      await terminal.shows('~');
      terminal.keys('i', 'hello', 'Escape', ':wq', 'Enter');
      await terminal.shows('rc0');
      assert.equal(readFileSync(`${work}/note`, 'utf8'), 'hello\n');
    },
  },
  {
    name: 'a pager scrolls and quits',
    needs: ['less'],
    run: async (terminal) => {
      terminal.line(`ion run 'seq 1000 | less'; echo rc$?`);
      await terminal.shows(/^29$/m);
      terminal.keys('G');
      await terminal.shows(/^1000$/m);
      terminal.keys('q');
      await terminal.shows('rc0');
    },
  },
  {
    name: 'job control in a shell inside',
    run: async (terminal) => {
      terminal.line(`ion run 'PS1="in$((1+1))> " bash --norc -i'; echo rc$?`);
      await terminal.shows('in2> ');
      // The process that will be stopped prints this. A key that arrives earlier would go to the shell.
      terminal.line("sh -c 'echo s$((1+1)); exec sleep 300'");
      await terminal.shows('s2');
      terminal.keys('C-z');
      await terminal.shows(/\[1\]\+ +Stopped/);
      terminal.line('kill %1; while kill -0 %1 2>/dev/null; do sleep 0.1; done; echo $((40+2))done');
      await terminal.shows('42done');
      terminal.line('exit 5');
      await terminal.shows('rc5');
    },
  },
  {
    name: 'top draws, and q ends it',
    needs: ['top'],
    run: async (terminal) => {
      terminal.line(`ion run 'top -d 1'; echo rc$?`);
      await terminal.shows(/PID +USER/);
      terminal.keys('q');
      await terminal.shows('rc0');
    },
  },
  {
    name: 'script makes a terminal of its own',
    needs: ['script'],
    run: async (terminal, {work}) => {
      terminal.line(`ion run 'script -qc "tty; stty size; echo in$((1+1))" typescript'; echo rc$?`);
      await terminal.shows(/\/dev\/pts\/\d+\n30 100\nin2/);
      await terminal.shows('rc0');
      assert.match(readFileSync(`${work}/typescript`, 'utf8'), /in2/);
    },
  },
  {
    name: 'an editor in tmux in a shell, all inside',
    needs: ['tmux', 'vi'],
    run: async (terminal, {work}) => {
      terminal.line(`TMUX= ion run 'PS1="in> " bash --norc -i'; echo rc$?`);
      await terminal.shows('in> ');
      terminal.line(`tmux -L ion-in-${process.pid} -f /dev/null new-session 'vi -u NONE note'`);
      await terminal.shows('~');
      terminal.keys('i', 'hello', 'Escape', ':wq', 'Enter');
      await terminal.shows('[exited]');
      assert.equal(readFileSync(`${work}/note`, 'utf8'), 'hello\n');
      terminal.line('exit 3');
      await terminal.shows('rc3');
    },
  },
  {
    name: 'colours are the same as without ion',
    run: async (terminal, {work}) => {
      // A terminal does not show its escape sequences, so script(1) records what the same program prints there.
      const ls = 'ls -d --color=auto d';
      terminal.line(`mkdir d; script -qc '${ls}' out; script -qc '${ionOf()} run "${ls}"' in; echo rc$?`);
      await terminal.shows('rc0');
      const printed = (file: string): string[] =>
        readFileSync(`${work}/${file}`, 'utf8')
          .split('\n')
          .filter((line) => line.includes('\u001b['));
      assert.equal(printed('out').length, 1);
      assert.deepEqual(printed('in'), printed('out'));
    },
  },
  {
    name: 'a command that is killed leaves a usable terminal',
    run: async (terminal) => {
      terminal.line(`ion run 'stty raw -echo; kill -9 $$'; echo rc$?`);
      await terminal.shows(/^rc137/m);
      terminal.line('echo sane$((1+1))');
      await terminal.shows(/^sane2/m);
    },
  },
  {
    name: 'a time limit ends a command that reads the terminal',
    run: async (terminal) => {
      terminal.line(`ion run --timeout 300ms 'read x'; echo rc$?`);
      await terminal.shows('rc124');
    },
  },
];

function ionOf(): string {
  return `${process.execPath} ${ionFile}`;
}

for (const as of testers) {
  for (const {name, needs = [], run} of cases) {
    test(`terminal: ${name} (${as.name})`, async (t) => onTerminal(t, as, needs, run));
  }
}

async function onTerminal(
  t: TestContext,
  as: Identity,
  needs: readonly string[],
  run: (terminal: Terminal, scratch: Scratch) => Promise<void>,
): Promise<void> {
  if (!requireProgram(t, 'tmux', ...needs)) return;
  const scratch = makeScratch(t, as);
  const terminal = openTerminal(scratch, as);
  try {
    await until('a prompt', () => /\$ $/m.test(terminal.screen()));
    await run(terminal, scratch);
  } finally {
    await terminal.close();
  }
}
