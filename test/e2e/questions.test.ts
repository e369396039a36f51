import assert from 'node:assert/strict';
import {chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync} from 'node:fs';
import {test} from 'node:test';
import {testers} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
import {until} from '../harness/processes.ts';
import {makeScratch, type Scratch} from '../harness/scratch.ts';
import {openTerminal, type Terminal} from '../harness/terminal.ts';

interface Case {
  readonly name: string;
  readonly needs?: readonly string[];
  readonly run: (terminal: Terminal, scratch: Scratch) => Promise<void>;
}

/** Keys typed before this pause do not count. */
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 400));

/** Output of other processes on the terminal. It may appear between a question and its echo. */
const fromOthers = /make: .*|ion: denied by your answer: .*\n -->.*/g;

/** Types a key until it has an effect: a busy ion may discard a key as typed too early. */
async function typed(terminal: Terminal, key: string): Promise<void> {
  await pause();
  const heard = (): boolean => {
    const shown = terminal.screen().replaceAll(fromOthers, '');
    return /Allow\?.*: (.*)$/s.exec(shown.slice(shown.lastIndexOf('Allow?')))?.[1]?.trim() === key;
  };
  for (let tries = 0; tries < 3; tries++) {
    terminal.keys(key);
    if (await until('the echo', heard, 5_000).catch(() => false)) return;
  }
  assert.fail(terminal.screen());
}

async function answer(terminal: Terminal, key: string): Promise<void> {
  await typed(terminal, key);
  terminal.keys('Enter');
}

const asked = 'ion run --config ask.toml';

/** The commands of the questions on the screen, from the top. */
function questions(terminal: Terminal): string[] {
  return [...terminal.screen().matchAll(/^ {2}\| touch ran-(\w+)$/gm)].map(([, name]) => name!);
}

/** Answers each question as it comes: yes to `yes`, no to all others. Only the allowed command may run. */
async function answerEach(terminal: Terminal, count: number, yes: string): Promise<void> {
  for (let number = 1; number <= count; number++) {
    await until(`question ${number}`, () => questions(terminal).length === number).catch(() => {
      assert.fail(terminal.screen());
    });
    await pause();
    assert.equal(questions(terminal).length, number, 'one question at a time');
    await answer(terminal, questions(terminal).at(-1) === yes ? 'y' : 'n');
  }
  await terminal.shows(/^rc\d/m);
}

const parallel: readonly {name: string; line: string; needs?: readonly string[]}[] = [
  {name: 'in the background', line: `(${asked} 'touch ran-A' & ${asked} 'touch ran-B'; wait)`},
  {name: 'of make -j', line: 'make -j 2 -f makefile all', needs: ['make']},
  {name: 'of xargs -P', line: `echo 'touch ran-A;touch ran-B' | tr '\\n' ';' | xargs -d ';' -P 2 -n 1 ./ask`},
];

/** Terminal states that an earlier program may leave. */
const left: readonly {name: string; sequence: string}[] = [
  {name: 'concealed text', sequence: '\\e[8m'},
  {name: 'black on black', sequence: '\\e[30;40m'},
  {name: 'another character set', sequence: '\\e(0'},
  {name: 'another character set, shifted to', sequence: '\\e)0\\x0e'},
  {name: 'a scroll region', sequence: '\\e[1;2r'},
  {name: 'no line wrapping, at the end of a line', sequence: '\\e[?7l\\e[1;99H'},
  {name: 'the alternate screen', sequence: '\\e[?1049h'},
  {name: 'an unfinished title sequence', sequence: '\\e]0;'},
  {name: 'another origin', sequence: '\\e[28;29r\\e[?6h'},
];

const cases: readonly Case[] = [
  ...parallel.map(({name, line, needs = []}): Case => ({
    name: `of two ${name} is shown one at a time, and gets its own answer`,
    needs,
    run: async (terminal, {work}) => {
      terminal.line(`clear; ${line}; echo rc$?`);
      await answerEach(terminal, 2, 'B');
      assert.deepEqual(
        readdirSync(work).filter((file) => file.startsWith('ran-')),
        ['ran-B'],
      );
    },
  })),
  ...left.map(({name, sequence}): Case => ({
    name: `is visible after ${name}`,
    run: async (terminal, {work}) => {
      terminal.line(`clear; seq 20; printf '${sequence}'; ${asked} 'touch ran-A'; echo rc$?`);
      await until('the question', () => terminal.screen().includes('Allow?')).catch(() => {
        assert.fail(terminal.screen());
      });
      const screen = terminal.screen();
      assert.match(
        screen,
        /^20\n[^]*^ion: approval needed: [^]*\n {2}\| touch ran-A\n[^]*\nAllow\? y once /m,
      );
      // Neither concealed, nor black on black, nor drawn as lines.
      // oxlint-disable-next-line no-control-regex -- sequences are what is looked for
      assert.doesNotMatch(terminal.attributes(), /\u001b\[[\d;]*(?<!\d)(?:8|30|40)(?!\d)[\d;]*m|\u000e/);
      await answer(terminal, 'y');
      await terminal.shows(/^rc0/m);
      assert.ok(existsSync(`${work}/ran-A`));
    },
  })),
  {
    name: 'after a refused read is answered for that read and that run',
    run: async (terminal, {root}) => {
      mkdirSync(`${root}/beside`);
      writeFileSync(`${root}/beside/f`, 'the content\n');
      for (const [key, code] of [
        ['n', 1],
        ['y', 0],
        ['n', 1],
      ] as const) {
        await empties(terminal);
        terminal.line(
          "ion run --set permissions.approval=on_failure 'cat ../../beside/f 2> errors'; echo rc$?",
        );
        await terminal.shows('Run it once more with that? y once / N no: ');
        assert.match(terminal.screen(), /^ {2}\| read ".*\/beside\/f"$/m);
        assert.doesNotMatch(terminal.screen(), /^the content$/m);
        await replied(terminal, key);
        await terminal.shows(`rc${code}`);
        assert.equal(/^the content$/m.test(terminal.screen()), key === 'y', terminal.screen());
      }
    },
  },
  {
    name: 'after a refused path of home is answered for what does not exist yet, too',
    run: async (terminal, {home}) => {
      mkdirSync(`${home}/notes`);
      writeFileSync(`${home}/notes/f`, 'the content\n');
      const offers: readonly [command: string, rows: RegExp, made: string][] = [
        ['cat ~/notes/f', /^ {2}\| read ".*\/home\/notes\/f"$/m, 'notes/f'],
        ['echo "the content" > ~/new', /^ {2}\| make the file ".*\/new"\n {2}\| write ".*\/new"$/m, 'new'],
        ['mkdir ~/made', /^ {2}\| make the folder ".*\/made"\n {2}\| write below ".*\/made"$/m, 'made'],
      ];
      for (const [command, rows, made] of offers) {
        await empties(terminal);
        terminal.line(
          `ion run --set permissions.approval=on_failure '${command} 2> errors || false'; echo rc$?`,
        );
        await terminal.shows('Run it once more with that? y once / N no: ');
        assert.match(terminal.screen(), rows);
        assert.equal(existsSync(`${home}/${made}`), made === 'notes/f');
        await replied(terminal, 'y');
        await terminal.shows(/^rc\d/m);
        assert.ok(existsSync(`${home}/${made}`), terminal.screen());
        // What is granted now is not reported as closed.
        assert.doesNotMatch(terminal.screen(), /outside the read roots/);
      }
      assert.equal(readFileSync(`${home}/new`, 'utf8'), 'the content\n');
    },
  },
  {
    name: 'after a refused copy is answered once, for what it reads and what it writes',
    run: async (terminal, {root}) => {
      mkdirSync(`${root}/from`);
      writeFileSync(`${root}/from/f`, 'the content\n');
      terminal.line(
        "clear; ion run --set permissions.approval=on_failure 'cp -r ../../from ../../to 2> errors'; echo rc$?",
      );
      await terminal.shows('Run it once more with that? y once / N no: ');
      assert.match(terminal.screen(), /^ {2}\| read ".*\/from"$/m);
      assert.match(terminal.screen(), /^ {2}\| write below ".*\/to"$/m);
      await replied(terminal, 'y');
      await terminal.shows(/^rc0$/m);
    },
  },
  {
    name: 'after a refused push to a folder is answered once',
    run: async (terminal) => {
      const commit = 'git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x';
      terminal.line(`clear; git init -q --bare ../../o.git; git init -q; ${commit}; echo made$((1+1))`);
      await terminal.shows('made2');
      terminal.line(
        "clear; ion run --set permissions.approval=on_failure 'git push -q ../../o.git HEAD 2> errors'; echo rc$?",
      );
      await terminal.shows('Run it once more with that? y once / N no: ');
      assert.match(terminal.screen(), /^ {2}\| write below ".*\/o\.git"$/m);
      await replied(terminal, 'y');
      await terminal.shows(/^rc0$/m);
    },
  },
  {
    name: 'shows the beginning of a command that is longer than the screen',
    run: async (terminal, {work}) => {
      terminal.resize(80, 24);
      writeFileSync(`${work}/long`, `touch EVIL;${' '.repeat(2500)}ls -l; echo ${'x'.repeat(3000)}; ls END`);
      // A program may set another size than the terminal has.
      terminal.line(`clear; stty rows 500 cols 500; ${asked} "$(cat long)"; echo rc$?`);
      await terminal.shows('Allow? y once / N no: ');
      assert.match(terminal.screen(), /^ {2}\| touch EVIL; \[2,500 blanks\] ls -l; echo x+$/m);
      assert.match(terminal.screen(), /more characters …\n[^]*ls END$/m);
      await answer(terminal, 'n');
      await terminal.shows('rc126');
      assert.ok(!existsSync(`${work}/EVIL`));
    },
  },
  {
    name: 'is ended by Ctrl-\\',
    run: async (terminal) => {
      terminal.line(`clear; ${asked} 'touch ran-A'; echo rc$?`);
      await terminal.shows('Allow?');
      await typed(terminal, 'y');
      terminal.keys('C-\\');
      await terminal.shows('rc126');
    },
  },
  {
    name: 'is stopped by Ctrl-Z, gives its turn to others, and is shown again after fg',
    run: async (terminal, {work}) => {
      terminal.line(`clear; ${asked} 'touch ran-A'`);
      await terminal.shows('Allow?');
      await typed(terminal, 'y');
      terminal.keys('C-z');
      await terminal.shows(/Stopped/);
      terminal.line(`clear; ${asked} 'touch ran-B'; echo rc$?`);
      await answerEach(terminal, 1, 'B');
      terminal.line('clear; bg');
      await pause();
      terminal.line('echo shell$((1+1))');
      await terminal.shows('shell2');
      terminal.line('clear; fg; echo rc$?');
      await terminal.shows('Allow?');
      assert.ok(!existsSync(`${work}/ran-A`));
      await answer(terminal, 'y');
      await terminal.shows('rc0');
      assert.ok(existsSync(`${work}/ran-A`));
    },
  },
  {
    name: 'of ion allow is asked for each entry, and "all" grants a package\'s script nothing',
    run: async (terminal, {root, work}) => {
      const asks = (word: string): string => `cd ${root} && echo x > ${word}/f`;
      // A package's script asks itself, asks after npm has ended, and asks under a name that would forge a line of the
      // list.
      const script = `#!/bin/bash\nsh -c '${asks('evil')}'\nsetsid sh -c 'sleep 0.5; ${asks('orphan')}' &\ntouch "${root}/$(printf 'e\\ny')/f"\n:\n`;
      writeFileSync(`${work}/npm`, script, {mode: 0o755});
      for (const name of ['good', 'evil', 'orphan', 'e\ny', 'home/mine']) {
        mkdirSync(`${root}/${name}`);
        chmodSync(`${root}/${name}`, 0o777);
      }
      writeFileSync(`${work}/all`, `${asks('good')}; ${asks('home/mine')}; cd ${work}; ./npm ci; sleep 1.5`);
      terminal.line(`clear; ion run "$(cat all)" 2> err; ion why > why; ion allow; echo rc$?`);
      await terminal.shows('a all of the first list');
      assert.match(terminal.screen(), /^ {2}\| sandbox\.write_roots = \["\S+\/good"\]\n {2}asked by bash$/m);
      await replied(terminal, 'a');
      for (let asked = 2; asked <= 5; asked++) {
        await until(`question ${asked}`, () => questionsOfAllow(terminal) === asked).catch(() =>
          assert.fail(terminal.screen()),
        );
        assert.match(terminal.screen(), /^ {2}careful: /m);
        await replied(terminal, 'n');
      }
      await terminal.shows('rc0');
      const [grants] = readdirSync(`${root}/home/.ion/grants`).filter((name) => name.endsWith('.toml'));
      const granted = readFileSync(`${root}/home/.ion/grants/${grants}`, 'utf8');
      assert.deepEqual(granted.match(/^ {2}.*$/gm), [`  "${root}/good",`]);
      assert.match(readFileSync(`${work}/why`, 'utf8'), /asked by bash > npm ci > sh\n/);
      terminal.line(`clear; ion run 'echo x > ${root}/good/f'; echo rc$?; ion allow; echo rc$?`);
      await terminal.shows(/^rc0\n[^]*nothing was refused\nrc125/m);
    },
  },
  {
    name: 'is not asked where other processes could interfere',
    run: async (terminal, {home, work}) => {
      mkdirSync(`${home}/.ion`, {recursive: true});
      writeFileSync(`${home}/.ion/locks`, '');
      terminal.line(`clear; ${asked} 'touch ran-A'; echo rc$?`);
      await terminal.shows('rc125');
      assert.match(terminal.screen(), /^ion: cannot ask on this terminal: "~\/\.ion\/locks\/tty-\d+"/m);
      assert.ok(!existsSync(`${work}/ran-A`));
    },
  },
];

/** The question before is gone, so it is not taken for the next one. */
async function empties(terminal: Terminal): Promise<void> {
  terminal.line('clear');
  await until('an empty screen', () => !terminal.screen().includes('Run it once more'));
}

/** Like `answer`, for a question with other words. */
async function replied(terminal: Terminal, key: string): Promise<void> {
  await pause();
  for (let tries = 0; tries < 3; tries++) {
    terminal.keys(key);
    const heard = (): boolean => terminal.screen().trimEnd().endsWith(`: ${key}`);
    if (await until('the echo', heard, 5_000).catch(() => false)) return terminal.keys('Enter');
  }
  assert.fail(terminal.screen());
}

/** How many questions of `ion allow` are on the screen. */
function questionsOfAllow(terminal: Terminal): number {
  return [...terminal.screen().matchAll(/^ion: allow this in /gm)].length;
}

for (const as of testers) {
  for (const {name, needs = [], run} of cases) {
    test(`a question ${name} (${as.name})`, async (t) => {
      if (!requireProgram(t, 'tmux', ...needs)) return;
      const scratch = makeScratch(t, as, {
        'ask.toml': 'permissions.approval = "ask"\n',
        ask: '#!/bin/bash\nion run --config ask.toml "$1" < /dev/tty\n',
        makefile: "all: a b\na b:\n\t./ask 'touch ran-$(shell echo $@ | tr ab AB)'\n",
      });
      chmodSync(`${scratch.work}/ask`, 0o755);
      const terminal = openTerminal(scratch, as);
      try {
        await until('a prompt', () => /\$ $/m.test(terminal.screen()));
        terminal.line('export -f ion');
        await run(terminal, scratch);
      } finally {
        await terminal.close();
      }
    });
  }
}
