import type {OptionSpec} from '../options.ts';

/** A program that runs the command after its own options. */
export interface WrapperRow extends OptionSpec {
  /** The number of operands before the command: `timeout 5 cmd`. */
  readonly operands?: number;
  /** `NAME=value` words may precede the command. */
  readonly assignments?: boolean;
  /** Options whose value is a script. */
  readonly script?: string;
  readonly inert?: string;
  /** Options may follow operands too, and the command is never given as words: `su root -c '…'`. */
  readonly scriptOnly?: boolean;
  /** The start of an option value that is a script, if only some values are: `ssh -o ProxyCommand=…`. */
  readonly scriptPrefix?: RegExp;
  /** Options may follow operands, but the command may also be given as words: `runuser`. */
  readonly scriptAnywhere?: boolean;
  /** The program joins the words and gives them to a shell. */
  readonly joins?: boolean;
  readonly remote?: boolean;
  /** The option that names a placeholder for unknown arguments: `xargs -I{}`. */
  readonly placeholder?: string;
  /** Unknown arguments follow the command. */
  readonly open?: boolean;
  /** The option that sets the name the command is called by: `exec -a git-push git`. */
  readonly named?: string;
  /** The word before the command: `gdb --args cmd`, `poetry run cmd`. */
  readonly after?: readonly string[];
}

const sshCommand = /^\s*(ProxyCommand|LocalCommand|KnownHostsCommand|PKCS11Provider)\s*[=\s]\s*/i;

const su: WrapperRow = {
  flags: 'f l m p P - --fast --login --preserve-environment --pty',
  values: 'c g G s w T --command --session-command --group --supp-group --shell --whitelist-environment',
  script: 'c --command --session-command',
  scriptOnly: true,
};
const plain: WrapperRow = {};
const runs: WrapperRow = {after: ['run', 'exec', 'x']};

export const wrapperRows: Readonly<Record<string, WrapperRow>> = {
  command: {flags: 'p v V', inert: 'v V'},
  builtin: plain,
  exec: {flags: 'c l', values: 'a', named: 'a'},
  env: {
    flags:
      'i 0 v --ignore-environment --null --debug --block-signal --default-signal --ignore-signal --list-signal-handling',
    values: 'u C S a P --unset --chdir --split-string --argv0',
    named: 'a --argv0',
    assignments: true,
    word: /^-$/,
    script: 'S --split-string',
  },
  time: {flags: 'a v p q l h --append --verbose --portability --quiet', values: 'f o --format --output'},
  nice: {flags: '0 1 2 3 4 5 6 7 8 9 -', values: 'n --adjustment'},
  ionice: {
    flags: 't --ignore',
    values: 'c n p P u --class --classdata --pid --pgid --uid',
    inert: 'p P u --pid --pgid --uid',
  },
  nohup: plain,
  setsid: {flags: 'c f w --ctty --fork --wait'},
  stdbuf: {values: 'i o e --input --output --error'},
  timeout: {
    flags: 'f p v --foreground --preserve-status --verbose',
    values: 'k s --kill-after --signal',
    operands: 1,
  },
  chrt: {
    flags:
      'a b d f i m o r v R --all-tasks --batch --deadline --fifo --idle --max --other --rr --verbose --reset-on-fork',
    values: 'T P D p --sched-runtime --sched-period --sched-deadline --pid',
    inert: 'p m --pid --max',
    operands: 1,
  },
  taskset: {flags: 'a c --all-tasks --cpu-list', values: 'p --pid', inert: 'p --pid', operands: 1},
  xargs: {
    flags:
      '0 r t p x o --null --no-run-if-empty --verbose --interactive --exit --open-tty --show-limits --eof --replace --max-lines',
    values:
      'a d E I J L n P R S s --arg-file --delimiter --max-args --max-procs --max-chars --process-slot-var',
    optional: 'e i l',
    placeholder: 'I i J --replace',
    open: true,
  },
  sudo: {
    flags:
      'A B b E e H i K k l n N P S s V v --askpass --bell --background --preserve-env --edit --set-home --login --remove-timestamp --reset-timestamp --list --non-interactive --no-update --preserve-groups --stdin --shell --version --validate',
    values:
      'C c D g h p R r T t U u --close-from --chdir --group --host --prompt --chroot --role --type --command-timeout --other-user --user',
    assignments: true,
    inert: 'e l v V K --edit --list --validate --version --remove-timestamp',
  },
  doas: {flags: 'L n s', values: 'a C u'},
  pkexec: {flags: '--disable-internal-agent --keep-cwd', values: '--user'},
  run0: {flags: '', values: 'u g D --user --group --unit --property --chdir --setenv --background --nice'},
  su,
  runuser: {...su, values: `${su.values} u --user`, scriptOnly: false, scriptAnywhere: true},
  unshare: {
    flags:
      'm u i n p U C T f r c --mount --uts --ipc --net --pid --user --cgroup --time --fork --map-root-user --map-current-user --map-auto --keep-caps --kill-child --mount-proc',
    values:
      'R w S G --root --wd --setuid --setgid --propagation --setgroups --map-user --map-users --map-group --map-groups --monotonic --boottime',
  },
  nsenter: {
    flags:
      'a F Z e --all --mount --uts --ipc --net --pid --user --cgroup --time --root --wd --no-fork --preserve-credentials --env --join-cgroup',
    optional: 'm u i n p U C T r w',
    values: 't S G W N --target --setuid --setgid --wdns --net-socket',
  },
  chroot: {flags: '--skip-chdir', values: '--userspec --groups', operands: 1},
  script: {
    flags: 'a e f q --append --return --flush --quiet --force',
    values:
      'c I O B E m o T t --command --log-in --log-out --log-io --echo --logging-format --output-limit --log-timing --timing',
    script: 'c --command',
    scriptOnly: true,
  },
  watch: {
    flags:
      'b c C d e g p r t w x --beep --color --no-color --differences --errexit --chgexit --precise --no-rerun --no-title --no-wrap --exec',
    values: 'n q s --interval --equexit --shotsdir',
    joins: true,
  },
  flock: {
    flags: 's x e u n F o v --shared --exclusive --nonblock --nb --unlock --no-fork --close --verbose',
    values: 'w E --timeout --wait --conflict-exit-code',
    operands: 1,
  },
  strace: {
    flags:
      'c C d D f F h i k n N q r t T v V w x y Y z Z A --follow-forks --summary --summary-only --instruction-pointer --stack-trace --quiet --relative-timestamps --absolute-timestamps --syscall-times --decode-fds --decode-pids --successful-only --failed-only --seccomp-bpf --output-separately --tips',
    values:
      'a b e E I o O p P s S u U X --columns --detach-on --trace --env --interruptible --output --attach --trace-path --string-limit --summary-sort-by --user --summary-columns --const-print-style --argv0 --abbrev --verbose --raw --signal --status --fault --inject --read --write',
  },
  ltrace: {
    flags: 'b c C f h i L r S t T V --no-signals --demangle --help --version',
    values: 'a A D e F l n o p s u w x X --align --config --debug --indent --library --output --where',
  },
  gdb: {after: ['--args', '-args']},
  lldb: {after: ['--']},
  busybox: {flags: '--list --list-full --help', inert: '--list --list-full --help'},
  toybox: {flags: '--long --help --version', inert: '--long --help --version'},
  parallel: plain,
  ssh: {
    flags: '4 6 A a C f G g K k M N n q s T t V v X x Y y',
    values: 'B b c D E e F I i J L l m O o P p Q R S W w',
    operands: 1,
    joins: true,
    remote: true,
    script: 'o',
    scriptPrefix: sshCommand,
  },
  // Programs other than coreutils that people put before a command.
  caffeinate: {flags: 'd i m s u', values: 't w'},
  catchsegv: plain,
  choom: {values: 'n p --adjust --pid', inert: 'p --pid'},
  'dbus-run-session': {values: '--config-file --dbus-daemon'},
  eatmydata: plain,
  fakeroot: {flags: 'u h v --unknown-is-real', values: 'l s i b --lib --faked'},
  linux32: plain,
  linux64: plain,
  setarch: {
    flags:
      'B F I L R S T X Z v 3 --verbose --addr-no-randomize --fdpic-funcptrs --mmap-page-zero --addr-compat-layout --read-implies-exec --32bit --short-inode --whole-seconds --sticky-timeouts --3gb --4gb --uname-2.6 --show',
    word: /^(linux(32|64)|i[3-6]86|x86(_64)?|athlon|amd64|ppc\w*|s390x?|arm\w*|aarch64|mips\w*|ia64|sparc\w*|alpha\w*|parisc\w*|riscv\w*|loong\w*|uname26)$/,
  },
  numactl: {
    flags: 'l s H a --localalloc --show --hardware --all --localall',
    values:
      'i m N C p b w --interleave --membind --cpunodebind --physcpubind --preferred --balancing --weighted-interleave',
  },
  prlimit: {flags: 'v --verbose --noheadings --raw', values: 'p o --pid --output', inert: 'p --pid'},
  proxychains: {flags: 'q', values: 'f'},
  proxychains4: {flags: 'q', values: 'f'},
  rlwrap: {flags: 'a A c E i n N r R', values: 'b C D f H l m M O p P q s S t w z'},
  setpriv: {
    flags: '--clear-groups --keep-groups --init-groups --no-new-privs --nnp --reset-env --dump d',
    values:
      '--ambient-caps --inh-caps --bounding-set --ruid --euid --rgid --egid --reuid --regid --groups --securebits --pdeathsig --ptracer --selinux-label --apparmor-profile --landlock-access --landlock-rule --seccomp-filter',
  },
  'systemd-inhibit': {values: '--what --who --why --mode'},
  'systemd-run': {
    flags:
      'G P q r S t d --user --system --scope --pty --pipe --quiet --wait --collect --remain-after-exit --same-dir --shell --no-ask-password --no-block --send-sighup',
    values:
      'p E M H u --property --setenv --machine --host --unit --slice --uid --gid --nice --description --service-type --working-directory --on-active --on-boot --on-startup --on-unit-active --on-calendar --timer-property',
  },
  tini: {flags: 's v w g', values: 'p e'},
  torsocks: {flags: 'i', values: 'a p u'},
  torify: plain,
  unbuffer: {flags: 'p'},
  valgrind: {flags: 'q v h d'},
  'xvfb-run': {
    flags: 'a l --auto-servernum',
    values: 'e f n p s w --error-file --auth-file --server-num --xauth-protocol --server-args --wait',
  },
  'with-contenv': plain,
  'run-one': plain,
  chronic: {flags: 'v e'},
  ts: plain,
  ifne: {flags: 'n'},
  uclampset: {flags: 'a s R v --all-tasks --system --reset-on-fork --verbose', values: 'm M p', inert: 'p'},
  cgexec: {flags: '--sticky b', values: 'g'},
  daemonize: {flags: 'a v', values: 'c e E l o p u'},
  'start-stop-daemon': {after: ['--']},
  faketime: {flags: 'f m', values: 'p', operands: 1},
  entr: {flags: 'a c d n p r s z x', open: true},
  hyperfine: {
    values:
      'w m M r P s S p c i n u N L --warmup --min-runs --max-runs --runs --setup --prepare --cleanup --shell --export-json --export-markdown --command-name',
    joins: true,
  },
  poetry: runs,
  pipenv: runs,
  pdm: runs,
  uv: runs,
  rye: runs,
  mise: {after: ['--']},
  asdf: {after: ['exec']},
  bundle: {after: ['exec']},
  rbenv: {after: ['exec']},
  pyenv: {after: ['exec']},
  dotenv: {after: ['--']},
  direnv: {after: ['exec']},
  // Programs that run the value of one of their options. They do other work themselves.
  scp: {values: 'o S c F i J l P D X', script: 'o S', scriptPrefix: sshCommand, scriptOnly: true},
  sftp: {values: 'o S B b c D F i J l P R s', script: 'o S', scriptPrefix: sshCommand, scriptOnly: true},
  rsync: {values: 'e f M T B --rsh --rsync-path', script: 'e --rsh --rsync-path', scriptOnly: true},
  tar: {
    values:
      'I C f F T X b g K L N V --use-compress-program --to-command --info-script --new-volume-script --rsh-command --checkpoint-action',
    script:
      'I F --use-compress-program --to-command --info-script --new-volume-script --rsh-command --checkpoint-action',
    scriptOnly: true,
  },
  sort: {values: '--compress-program', script: '--compress-program', scriptOnly: true},
  rg: {values: '--pre --hostname-bin', script: '--pre --hostname-bin', scriptOnly: true},
  man: {values: 'P H --pager --html', script: 'P H --pager --html', scriptOnly: true},
  fzf: {values: '--preview --bind', script: '--preview', scriptOnly: true},
  nodemon: {values: 'x w e i --exec --watch --ext --ignore', script: 'x --exec', scriptOnly: true},
};
