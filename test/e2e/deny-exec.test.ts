import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {existsSync, rmSync} from 'node:fs';
import {test} from 'node:test';
import {testers} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
import {runIon} from '../harness/run.ts';
import {makeScratch} from '../harness/scratch.ts';

/**
 * A thread swaps the path between the first and the second argument, while another thread executes it 400 times. With a
 * third argument it continues until the race was both lost (refused) and won (killed), at most 20,000 times.
 */
const racer = `#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
static char path[64];
static char *fine, *denied;
static void pause_a_little(void)
{
	for (int i = 0; i < 10000; i++)
		__asm__ volatile("" ::: "memory");
}
static void *flip(void *unused)
{
	for (;;) {
		strcpy(path, denied);
		pause_a_little();
		strcpy(path, fine);
		pause_a_little();
	}
	return unused;
}
int main(int argc, char **argv)
{
	char name[] = "program", operand[] = "mark", *words[] = { name, operand, NULL };
	int refused = 0, killed = 0, status;
	pthread_t thread;
	pid_t pid;

	strcpy(path, fine = argv[1]);
	denied = argv[2];
	pthread_create(&thread, NULL, flip, NULL);
	for (int i = 0; i < 400 || (argc > 3 && i < 20000 && !(refused && killed)); i++) {
		if (posix_spawn(&pid, path, NULL, NULL, words, environ)) {
			refused++;
			continue;
		}
		waitpid(pid, &status, 0);
		killed += WIFSIGNALED(status);
	}
	printf("%s %s\\n", refused ? "refused" : "never refused", killed ? "killed" : "never killed");
	return 0;
}
`;
const races = [
  {
    what: 'of a program',
    paths: ['/usr/bin/true', '/usr/bin/touch'],
    refused: /could not execute "\/usr\/bin\/touch mark" \(execve: denied by deny_commands "touch \*"/,
  },
  {
    what: 'of a script',
    paths: ['/usr/bin/true', './touch'],
    refused: /could not execute "\S*sh \.\/touch mark" \(execve: denied by deny_commands "touch \*"/,
  },
];
const config = {'.ion/config.toml': '[permissions]\ndeny_commands = ["touch *"]\n'};

for (const as of testers) {
  for (const {what, paths, refused} of races) {
    test(`deny_commands at exec: a thread that changes the path after the check, ${what} (${as.name})`, async (t) => {
      if (!requireProgram(t, 'cc')) return;
      const scratch = makeScratch(t, as, {
        'racer.c': racer,
        touch: {text: '#!/bin/sh\n: > mark\n', mode: 0o755},
        ...config,
      });
      const mark = `${scratch.work}/mark`;
      execFileSync('cc', ['-O1', '-pthread', '-o', `${scratch.work}/racer`, `${scratch.work}/racer.c`]);
      execFileSync(`${scratch.work}/racer`, paths, {cwd: scratch.work});
      assert.ok(existsSync(mark), 'outside the race is won');
      rmSync(mark);
      const command = `./racer ${paths.join(' ')} until-won`;
      const {code, stdout, stderr} = await runIon(scratch, ['run', `source <(echo ${command})`], {as});
      assert.deepEqual([code, stdout], [0, 'refused killed\n'], stderr);
      assert.match(stderr, refused);
      assert.ok(!existsSync(mark), 'inside it never is');
    });
  }

  test(`deny_commands at exec: a traced process can be checked too (${as.name})`, async (t) => {
    if (!requireProgram(t, 'strace')) return;
    const scratch = makeScratch(t, as, config);
    const script = 'strace -f -o trace sh -c "\\$(printf tou)ch mark"; grep -c "execve(.*= 0" trace';
    const {stdout, stderr} = await runIon(scratch, ['run', script], {as});
    assert.equal(stdout, '1\n', stderr);
    assert.match(stderr, /could not execute "\S*touch mark" \(execve: denied by deny_commands "touch \*"/);
    assert.ok(!existsSync(`${scratch.work}/mark`));
  });

  test(`deny_commands at exec: as many words as the kernel accepts (${as.name})`, async (t) => {
    const scratch = makeScratch(t, as, config);
    const script = [
      'printf "#!/bin/sh\\necho \\$#\\n" > count; chmod +x count; ./count $(seq 100000)',
      '/bin/echo $(seq 5000) | wc -w; seq 30000 | xargs /bin/echo | wc -w',
      '/bin/echo $(seq 400000) 2>&1 | grep -o "too long"',
      'eval "$(printf "tou"; echo "ch mark $(echo $(seq 5000))")"; ls | head',
    ].join('; ');
    const {stdout, stderr} = await runIon(scratch, ['run', script], {as});
    assert.equal(stdout, '100000\n5000\n30000\ntoo long\ncount\n', stderr);
    assert.match(stderr, /could not execute "\S*touch mark 1 2 .*denied by deny_commands "touch \*"/);
  });

  test(`deny_commands at exec: programs of git, and git by another name (${as.name})`, async (t) => {
    if (!requireProgram(t, 'git', 'python3')) return;
    const ways = [
      '"$(git --exec-path)/git-"$name',
      'PATH=$(git --exec-path):$PATH; "git-$name"',
      'ln -s "$(command -v git)" git-$name; ./git-$name',
      `python3 -c 'import os; os.execv("/usr/bin/git", ["git-" + os.environ["name"]])'`,
    ];
    const script = ways.map((way) => `(${way}) < /dev/null > /dev/null 2>&1 && echo through`).join('; ');
    for (const [rule, want] of [
      ['git other *', 'through\n'.repeat(ways.length)],
      ['git stripspace *', ''],
    ] as const) {
      const scratch = makeScratch(t, as, {
        '.ion/config.toml': `[permissions]\ndeny_commands = ["${rule}"]\n`,
      });
      const {stdout, stderr} = await runIon(
        scratch,
        ['run', `export name; read name < name; ${script}; true`],
        {
          as,
          through: ['bash', '-c', 'echo stripspace > name; exec "$0" "$@"'],
        },
      );
      assert.equal(stdout, want, stderr);
    }
  });

  test(`deny_commands at exec: after options that ion does not know (${as.name})`, async (t) => {
    const ways = [
      '--access public publish',
      '--access publish',
      '--silent --a b --c=d publish x',
      '-sg --no-such -- publish',
      `${'--a x '.repeat(70)} publish`,
      `${'--silent '.repeat(600)} publish`,
    ];
    const fine = [
      '--silent run publish',
      '--access=public view',
      '--tag publish view',
      '--access public view x',
    ];
    const fineMake = ['make -j4 clean publish', 'make -j clean publish'];
    const program = {text: '#!/bin/sh\necho through\n', mode: 0o755};
    const scratch = makeScratch(t, as, {
      '.ion/config.toml': '[permissions]\ndeny_commands = ["npm publish *", "make publish *"]\n',
      'bin/npm': program,
      'bin/make': program,
      denied: ways.map((words) => `npm ${words}\n`).join(''),
      fine: [...fine.map((words) => `npm ${words}`), ...fineMake].map((line) => `${line}\n`).join(''),
    });
    const script = (file: string): string => `PATH=$PWD/bin:$PATH; source ${file}; true`;
    const {stdout, stderr} = await runIon(scratch, ['run', script('./denied')], {as});
    assert.equal(stdout, '', stderr);
    const other = await runIon(scratch, ['run', script('./fine')], {as});
    assert.equal(other.stdout, 'through\n'.repeat(fine.length + fineMake.length), other.stderr);
  });

  test(`deny_commands at exec: a long way through /proc/self (${as.name})`, async (t) => {
    if (!requireProgram(t, 'python3')) return;
    const scratch = makeScratch(t, as, {
      '.ion/config.toml': '[permissions]\ndeny_commands = ["ldd *"]\n',
      'go.py':
        'import os, sys\nos.execv("/proc/self/root" + "/." * int(sys.argv[1]) + os.getcwd() + "/x", ["x", "--version"])\n',
    });
    const script =
      'ln -s /usr/bin/ldd x; for n in 0 150 1900; do python3 go.py $n > /dev/null 2>&1 && echo through; done; true';
    const {stdout, stderr} = await runIon(scratch, ['run', script], {as});
    assert.equal(stdout, '', stderr);
  });
}
