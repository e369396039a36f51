import type {Files} from '../harness/scratch.ts';

/** Everyday work that has the same result inside and outside on every supported kernel. */
export interface Smoke {
  readonly name: string;
  readonly script: string;
  readonly args?: readonly string[];
  readonly files?: Files;
  /** Its exact output. */
  readonly prints?: string;
  /** The exit code of its refusal. */
  readonly exits?: number;
  /** Text that it must not print, whatever its exit code. */
  readonly hides?: string;
}

export const smoke: readonly Smoke[] = [
  {name: 'a pipe', script: 'printf "b\\na\\n" | sort | tr -d "\\n"', prints: 'ab'},
  {
    name: 'files',
    script: 'mkdir -p a/b && echo x > a/b/c && mv a/b/c a/d && cp -r a e && cat e/d',
    prints: 'x\n',
  },
  {name: 'temporary files', script: 't=$(mktemp) && echo x > "$t" && cat "$t" && rm "$t"', prints: 'x\n'},
  {
    name: 'git: a commit and a clone',
    script:
      'git init -q -b main r && cd r && git config user.email a@b && git config user.name a && echo x > f && git add f && git commit -qm one && git clone -q . ../c && git -C ../c log --format=%s',
    prints: 'one\n',
  },
  {
    name: 'a C compiler and make',
    files: {
      'h.c': '#include <stdio.h>\nint main(void) { puts("hi"); return 0; }\n',
      Makefile: 'h: h.c\n\t@cc -o h h.c\n',
    },
    script: 'make && ./h',
    prints: 'hi\n',
  },
  {
    name: 'python and its processes',
    script: `python3 -c 'import subprocess; print(subprocess.check_output(["echo", "x"], text=True))'`,
    prints: 'x\n\n',
  },
  {
    name: 'node',
    script: `node -e 'require("fs").writeFileSync("f", "x"); console.log(require("os").tmpdir().length > 0)'`,
    prints: 'true\n',
  },
  {
    name: 'tar',
    script: 'mkdir d && echo x > d/f && tar cf d.tar d && rm -r d && tar xf d.tar && cat d/f',
    prints: 'x\n',
  },
  {
    name: 'shared memory and a pseudo-terminal',
    script: 'echo x > /dev/shm/f && cat /dev/shm/f && script -qc "tty" /dev/null | grep -c pts',
    prints: 'x\n1\n',
  },
  {name: 'the exit code', script: 'exit 7', exits: 7},
  {name: 'a process left behind', script: 'sleep 1000 & echo x', prints: 'x\n'},
  {name: 'read mode', args: ['--read'], files: {f: 'x\n'}, script: 'cat f | grep x', prints: 'x\n'},
  {
    name: 'a denied path',
    args: ['--config', '{root}/denied.toml'],
    files: {secret: 'hidden\n', '/denied.toml': '[permissions]\ndenied_paths = ["{work}/secret"]\n'},
    script: `python3 -c 'print(open("sec" + "ret").read())'`,
    hides: 'hidden',
  },
  {
    name: 'a denied folder',
    args: ['--config', '{root}/denied.toml'],
    files: {'secrets/key': 'hidden\n', '/denied.toml': '[permissions]\ndenied_paths = ["{work}/secrets"]\n'},
    script: `python3 -c 'print(open("sec" + "rets/key").read())'`,
    hides: 'hidden',
  },
  {name: 'a limit of time', args: ['--timeout', '5s'], script: 'sleep 1000', exits: 124},
];
