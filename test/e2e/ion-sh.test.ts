import assert from 'node:assert/strict';
import {symlinkSync} from 'node:fs';
import {test} from 'node:test';
import {shellElsewhere} from '../harness/elsewhere.ts';
import {plain, testers, type Identity} from '../harness/identity.ts';
import {runProgram, type Ended} from '../harness/run.ts';
import {giveTo, makeScratch, type Files, type Scratch} from '../harness/scratch.ts';

interface Form {
  readonly name: string;
  readonly args: readonly string[];
  readonly stdin?: string;
  readonly files?: Files;
  readonly env?: Readonly<Record<string, string>>;
  /** Set if stderr must be the same too, after ion-sh's name is replaced by `bash`. */
  readonly stderr?: true;
}

const script = 'echo "$0|$#|$1|${BASH_SOURCE[0]}|$-"\nread line; echo "read: $line"\nexit 3\n';
const files: Files = {
  'script.sh': script,
  plain: {text: '#!/bin/sh\necho plain "$@"\n', mode: 0o755},
  '-dash': 'echo dash\n',
  'empty.sh': '\n',
  'dir/in.sh': 'cd "$(dirname "${BASH_SOURCE[0]}")" && ls\n',
  '~/outside/step.sh': 'echo "$0 $1"; pwd\n',
  'env.bash': 'echo from BASH_ENV\n',
};

/** Each way in which a program calls a shell. bash's own result is the expected one. */
const forms: readonly Form[] = [
  {name: '-c', args: ['-c', 'echo $#; exit 4']},
  {name: '-c with arguments', args: ['-c', 'echo "$0|$1|$2|$#"', 'name', 'a b', '']},
  {name: 'git: -c with "$@"', args: ['-c', 'printf "<%s>" "$@"', 'printf', 'a b', '*']},
  {name: '-c of an empty command', args: ['-c', '']},
  {name: '-c of an empty command after a wrong option', args: ['-O', 'nonsense', '-c', '']},
  {name: '-lc of an empty command', args: ['-lc', '']},
  {name: 'FILE that is empty, after a wrong option', args: ['-O', 'nonsense', 'empty.sh']},
  {name: '-c of a command that begins with a dash', args: ['-c', '--', '-x']},
  {name: 'make: -ec', args: ['-ec', 'false; echo no']},
  {name: 'make: -e -c', args: ['-e', '-c', 'false; echo no']},
  {name: '-lc', args: ['-lc', 'shopt -q login_shell && echo login']},
  {name: '-l -c', args: ['-l', '-c', 'echo in']},
  {name: '--login -c', args: ['--login', '-c', 'echo in']},
  {name: 'GitHub: -eo pipefail -c', args: ['-eo', 'pipefail', '-c', 'false | true; echo no']},
  {name: '-o pipefail -e -c', args: ['-o', 'pipefail', '-e', '-c', 'false | true; echo no']},
  {name: '-ceo pipefail', args: ['-ceo', 'pipefail', 'false | true; echo no']},
  {
    name: 'GitHub: --noprofile --norc -eo pipefail FILE',
    args: ['--noprofile', '--norc', '-eo', 'pipefail', 'script.sh'],
    stdin: 'in\n',
  },
  {name: '-norc with one dash', args: ['-norc', '-c', 'echo in']},
  {name: '-O extglob', args: ['-O', 'extglob', '-c', 'case ab in @(ab)) echo extended;; esac']},
  {name: '+O extglob', args: ['+O', 'extglob', '-c', 'shopt extglob']},
  {name: '+e after -e', args: ['-e', '+e', '-c', 'false; echo still']},
  {name: '-x to stderr', args: ['-xc', 'echo traced'], stderr: true},
  {name: '-u', args: ['-uc', 'echo $nothing; echo no'], stderr: true},
  {name: '--posix', args: ['--posix', '-c', 'shopt -o posix']},
  {name: '-n runs nothing', args: ['-nc', 'echo no']},
  {name: 'FILE', args: ['script.sh', 'a'], stdin: 'in\n'},
  {name: 'FILE by a path', args: ['./script.sh'], stdin: 'in\n'},
  {name: '-e FILE with arguments', args: ['-e', 'script.sh', 'a', 'b c'], stdin: 'in\n'},
  {name: '-- FILE', args: ['--', '-dash']},
  {name: 'FILE in a folder', args: ['dir/in.sh']},
  {name: 'FILE that is empty', args: ['empty.sh']},
  {name: 'FILE that is not there', args: ['missing.sh'], stderr: true},
  {name: 'FILE that is a folder', args: ['dir'], stderr: true},
  {name: 'FILE outside the workspace', args: ['{home}/outside/step.sh', 'a']},
  {name: 'stdin', args: [], stdin: 'echo "$0|$#"\nread line; echo "read: $line"\nthe line\nexit 5\n'},
  {name: '-s with arguments', args: ['-s', 'a', 'b'], stdin: 'echo "$1 $2"\n'},
  {name: '-s -- with arguments', args: ['-s', '--', '-a'], stdin: 'echo "$1"\n'},
  {name: '- with stdin', args: ['-'], stdin: 'echo in\n'},
  {name: 'stdin that is empty', args: []},
  {name: 'a variable of the caller', args: ['-c', 'echo $WANTED'], env: {WANTED: 'here'}},
  {name: 'BASH_ENV of the caller, inside', args: ['-c', 'echo in'], env: {BASH_ENV: './env.bash'}},
  {name: 'a function of the caller', args: ['-c', 'f'], env: {'BASH_FUNC_f%%': '() { echo function; }'}},
  {
    name: 'NODE_OPTIONS of the caller, as data',
    args: ['-c', 'echo $NODE_OPTIONS'],
    env: {NODE_OPTIONS: '--x'},
  },
  {name: '--version', args: ['--version']},
  {name: 'an unknown long option', args: ['--foo', '-c', 'echo no']},
  {name: 'an unknown letter', args: ['-cZ', 'echo no']},
  {name: 'an unknown option of -o', args: ['-o', 'nonsense', '-c', 'echo no']},
  {name: '-c without a command', args: ['-c']},
  {name: 'a syntax error', args: ['-c', 'if']},
  {name: 'a missing program', args: ['-c', 'no-such-program-here'], stderr: true},
  {name: 'a signal', args: ['-c', 'kill -TERM $$; echo no']},
];

function start(
  program: string,
  scratch: Scratch,
  as: Identity,
  {args, stdin, env}: Pick<Form, 'args' | 'stdin' | 'env'>,
): Promise<Ended> {
  const words = args.map((word) => word.replace('{home}', scratch.home));
  // At level 1 bash would take a socket on stdin for a remote login, and read bashrc.
  const spec = {as, argv0: '/bin/bash', stdin: stdin ?? '', env: {SHLVL: '1', ...env}};
  return runProgram(scratch, [program, ...words], spec);
}

for (const as of testers) {
  for (const form of forms) {
    test(`ion-sh as bash: ${form.name} (${as.name})`, async (t) => {
      const scratch = makeScratch(t, as, files);
      const shell = `${shellElsewhere(scratch)}/ion-sh`;
      giveTo(scratch.root, as);
      const [bash, ion] = await Promise.all([
        start('/bin/bash', scratch, as, form),
        start(shell, scratch, as, form),
      ]);
      // A signal that ends a command is 128 + N of ion, as a shell around bash sees it.
      const code = bash.signal === 'SIGTERM' ? 143 : bash.code;
      assert.deepEqual([ion.code, ion.stdout], [code, bash.stdout], ion.stderr);
      if (form.stderr) assert.equal(ion.stderr, bash.stderr);
    });
  }
}

const links: readonly {
  name: string;
  args: readonly string[];
  code?: number;
  stdout?: string;
  stderr?: RegExp;
}[] = [
  {name: 'sh', args: ['-c', 'shopt -qo posix && echo posix'], stdout: 'posix\n'},
  {name: 'bash', args: ['-c', 'shopt -qo posix || echo bash'], stdout: 'bash\n'},
  {name: 'ion-bash', args: ['-c', 'shopt -qo posix || echo bash'], stdout: 'bash\n'},
  {
    name: 'zsh',
    args: ['-c', 'echo no'],
    code: 125,
    stderr: /^ion: ion-sh is not zsh: .*\nhelp: set bash or ion-sh as the shell of that program\n$/,
  },
];

for (const {name, args, code = 0, stdout = '', stderr = /^$/} of links) {
  test(`ion-sh by the name ${name}`, async (t) => {
    const scratch = makeScratch(t, plain);
    const folder = shellElsewhere(scratch);
    symlinkSync('ion-sh', `${folder}/${name}`);
    giveTo(scratch.root, plain);
    const ended = await runProgram(scratch, [`${folder}/${name}`, ...args], {as: plain});
    assert.deepEqual([ended.code, ended.stdout], [code, stdout], ended.stderr);
    assert.match(ended.stderr, stderr);
  });
}
