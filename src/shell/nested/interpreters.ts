import {matchGlob} from '../match/glob.ts';
import type {OptionSpec} from '../options.ts';

/**
 * Programs that run another program without execve: `sh deploy` runs deploy, `python3 -m pip` runs pip, and `busybox rm` is
 * rm. Only this file lists them. deny.ts compares the text of commands with these tables. The supervisor gets them as
 * options and compares executions.
 */
export interface Interpreter extends OptionSpec {
  /** Globs of the interpreter's names. */
  readonly names: string;
  /** Options that replace the script: `sh -c code`. */
  readonly ends: string;
  /** `-m NAME` runs a module. */
  readonly modules?: true;
}

const shell: Interpreter = {
  names: 'sh bash rbash dash ash ksh ksh93 ksh2020 mksh lksh rksh yash posh zsh zsh-* hush',
  flags:
    'a b e f g h i k l m n p r t u v w x B C E G H P T X --login --posix --norc --noprofile --noediting --restricted --verbose --debugger --debug --pretty-print --dump-strings --dump-po-strings --emulate --no-rcs',
  values: 'o O --rcfile --init-file',
  ends: 'c s D --version --help',
  plus: true,
};

const python: Interpreter = {
  names: 'python python2* python3* pypy pypy3*',
  flags: 'b B d E i I O P q R s S t u v x',
  values: 'W X Q --check-hash-based-pycs',
  ends: 'c h m V --version --help --help-env --help-xoptions --help-all',
  modules: true,
};

const perl: Interpreter = {
  names: 'perl perl5*',
  flags: 'a c f n p s S t T u U w W X',
  values: 'I',
  optional: '0 C d D F i l m M V x',
  ends: 'e E h v',
};

const ruby: Interpreter = {
  names: 'ruby ruby1* ruby2* ruby3* jruby',
  flags: 'a c d l n p s S w U y --disable-gems --jit --yjit --debug --verbose',
  values: 'C E I r --encoding --external-encoding --internal-encoding --disable --enable',
  optional: '0 F i K T W x',
  ends: 'e h v --version --copyright --help',
};

const node: Interpreter = {
  names: 'node nodejs',
  flags:
    'c i --check --interactive --inspect --inspect-brk --inspect-wait --enable-source-maps --preserve-symlinks --preserve-symlinks-main --trace-warnings --trace-deprecation --trace-uncaught --no-warnings --no-deprecation --throw-deprecation --expose-gc --expose_gc --harmony --test --test-only --watch --prof --frozen-intrinsics --experimental-vm-modules --experimental-strip-types --experimental-transform-types --experimental-modules --experimental-permission --permission --experimental-json-modules --experimental-wasm-modules --experimental-worker --experimental-sqlite --experimental-test-coverage --experimental-default-type --use-openssl-ca --use-bundled-ca --insecure-http-parser --abort-on-uncaught-exception --pending-deprecation --force-node-api-uncaught-exceptions-policy --no-experimental-fetch --no-experimental-strip-types --no-opt --jitless --track-heap-objects --no-addons --enable-fips --force-fips --node-memory-debug --build-snapshot',
  values:
    'r C --require --import --loader --experimental-loader --env-file --env-file-if-exists --conditions --title --input-type --icu-data-dir --openssl-config --redirect-warnings --watch-path --test-name-pattern --test-reporter --test-reporter-destination --test-concurrency --heapsnapshot-signal --diagnostic-dir --unhandled-rejections --dns-result-order --disable-warning --allow-fs-read --allow-fs-write --snapshot-blob --stack-trace-limit --inspect-port --debug-port',
  ends: 'e p v h --eval --print --version --help --v8-options --run --completion-bash',
};

const php: Interpreter = {
  names: 'php php5* php7* php8*',
  flags: 'a C e f l n q s w H --no-php-ini --syntax-check --strip --file',
  values: 'c d z S t g --php-ini --define --server --docroot',
  ends: 'r B R E i m v h --run --info --modules --version --help',
};

const lua: Interpreter = {
  names: 'lua lua5* luajit luajit-* texlua',
  flags: 'i E W',
  values: 'e l j O',
  ends: 'v',
};

const tcl: Interpreter = {names: 'tclsh tclsh8* wish wish8*', values: '-encoding', ends: ''};

/** Programs that emulate a processor and execute another program's instructions themselves. */
const emulator: Interpreter = {
  names:
    'qemu-x86_64* qemu-i386* qemu-aarch64* qemu-arm* qemu-riscv64* qemu-ppc64* qemu-s390x* box64 box86 FEXInterpreter FEXLoader valgrind valgrind.bin',
  flags: 'q v -q -v',
  values: 'L E U cpu g s d D 0 R B p',
  ends: 'h version help --version --help -h',
};

export const interpreters: Readonly<Record<string, Interpreter>> = {
  shell,
  python,
  perl,
  ruby,
  node,
  php,
  lua,
  tcl,
  emulator,
};

/** Names of interpreters to look up on PATH: their files identify an interpreter that was copied under another name. */
export const interpreterNames: readonly string[] = [
  ...['sh', 'bash', 'dash', 'ksh', 'mksh', 'zsh', 'python', 'python2', 'python3', 'perl', 'ruby', 'node'],
  ...['nodejs', 'php', 'lua', 'tclsh'],
];

/** `python3 -m NAME` runs the program NAME. These modules stand for programs with other names too. */
export const moduleProgramRows: readonly (readonly [module: string, ...programs: string[]])[] = [
  ['pip', 'pip', 'pip3'],
  ['ensurepip', 'pip', 'pip3'],
  ['awscli', 'aws'],
  ['build', 'pyproject-build'],
  ['django', 'django-admin'],
  ['httpie', 'http', 'https'],
  ['IPython', 'ipython', 'ipython3'],
  ['venv', 'venv', 'pyvenv'],
];

const moduleNames = new Map(moduleProgramRows.map(([module, ...programs]) => [module, programs]));

/** The programs that a module stands for: `pip._internal` also stands for pip. */
export function programsOfModule(module: string): readonly string[] {
  const [name = ''] = module.split('.', 1);
  return moduleNames.get(name) ?? [name];
}

/**
 * Programs that contain many others and choose by their first operand. A shell among them runs the others without an
 * execve.
 */
export const multiCallPrograms: readonly {readonly name: string; readonly shells: readonly string[]}[] = [
  {name: 'busybox', shells: ['sh', 'ash', 'hush', 'bash', 'lash', 'msh']},
  {name: 'toybox', shells: ['sh', 'toysh', 'bash']},
];

/**
 * Programs that act by the name that they were called with. A symlink to any other program is only a second name: denying `awk`
 * denies mawk where awk is a symlink to mawk. But denying `reboot` does not deny systemctl.
 */
const dispatchers =
  'busybox* toybox* coreutils git git-* systemctl kmod pgrep bash ksh* mksh zsh* vim vim.* nvim ' +
  'bzip2 gzip xz zstd lz4 unzip 7z* rustup* ccache sccache distcc icecc snap mise asdf volta* ' +
  'xtables-* lvm mtools dropbearmulti sudo vipw newgrp setarch ssh ping mke2fs e2fsck dumpe2fs tune2fs ' +
  'resolvectl udevadm exim4 sendmail* msmtp postfix llvm-* lld ld* clang* mutool magick* corepack';

export function isDispatcher(name: string): boolean {
  return dispatchers.split(' ').some((glob) => matchGlob(glob, name));
}
