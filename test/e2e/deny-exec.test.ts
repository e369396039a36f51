import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {existsSync, rmSync} from 'node:fs';
import {test} from 'node:test';
import {identities} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
import {runIon} from '../harness/run.ts';
import {makeScratch} from '../harness/scratch.ts';

/** A thread changes the path from /usr/bin/true to /usr/bin/touch and back, while another executes it. */
const racer = `#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
static char path[64] = "/usr/bin/true";
static void pause_a_little(void)
{
	for (int i = 0; i < 10000; i++)
		__asm__ volatile("" ::: "memory");
}
static void *flip(void *unused)
{
	for (;;) {
		memcpy(path + 9, "touch", 6);
		pause_a_little();
		memcpy(path + 9, "true\\0", 6);
		pause_a_little();
	}
	return unused;
}
int main(void)
{
	char name[] = "program", operand[] = "mark", *words[] = { name, operand, NULL };
	int refused = 0, killed = 0, status;
	pthread_t thread;
	pid_t pid;

	pthread_create(&thread, NULL, flip, NULL);
	for (int i = 0; i < 400; i++) {
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
const config = {'.ion/config.toml': '[permissions]\ndeny_commands = ["touch *"]\n'};

for (const as of identities) {
  test(`deny_commands at exec: a thread that changes the path after the look (${as.name})`, async (t) => {
    if (!requireProgram(t, 'cc')) return;
    const scratch = makeScratch(t, as, {'racer.c': racer, ...config});
    const mark = `${scratch.work}/mark`;
    execFileSync('cc', ['-O1', '-pthread', '-o', `${scratch.work}/racer`, `${scratch.work}/racer.c`]);
    execFileSync(`${scratch.work}/racer`, {cwd: scratch.work});
    assert.ok(existsSync(mark), 'outside the race is won');
    rmSync(mark);
    const {code, stdout, stderr} = await runIon(scratch, ['run', './racer'], {as});
    assert.deepEqual([code, stdout], [0, 'refused killed\n'], stderr);
    assert.match(
      stderr,
      /could not execute "\/usr\/bin\/touch mark" \(execve: denied by deny_commands "touch \*"/,
    );
    assert.ok(!existsSync(mark), 'inside it never is');
  });

  test(`deny_commands at exec: what is traced can be looked at as well (${as.name})`, async (t) => {
    if (!requireProgram(t, 'strace')) return;
    const scratch = makeScratch(t, as, config);
    const script = 'strace -f -o trace sh -c "\\$(printf tou)ch mark"; grep -c "execve(.*= 0" trace';
    const {stdout, stderr} = await runIon(scratch, ['run', script], {as});
    assert.equal(stdout, '1\n', stderr);
    assert.match(stderr, /could not execute "\S*touch mark" \(execve: denied by deny_commands "touch \*"/);
    assert.ok(!existsSync(`${scratch.work}/mark`));
  });

  test(`deny_commands at exec: as many words as the kernel takes (${as.name})`, async (t) => {
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
}
