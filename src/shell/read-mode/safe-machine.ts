import type {SafeRow} from './safe-options.ts';

/** Programs that report about the machine, its users and its processes. */
export const machineRows: Readonly<Record<string, SafeRow>> = {
  df: {
    harmless: true,
    flags:
      'a h H i k l P T v --all --human-readable --si --inodes --local --no-sync --portability --print-type --total --output',
    values: 'B t x --block-size --type --exclude-type',
  },
  date: {
    operands: 1,
    texts: true,
    flags: 'u I R --utc --universal --rfc-email --iso-8601 --debug --resolution',
    values: 'd f r --rfc-3339 --date --file --reference',
    refusesOperand: ({text}) =>
      text.startsWith('+') ? undefined : 'date with a plain operand sets the clock',
  },
  uname: {
    harmless: true,
    operands: 0,
    flags:
      'a s n r v m p i o --all --kernel-name --nodename --kernel-release --kernel-version --machine --processor --hardware-platform --operating-system',
  },
  whoami: {harmless: true, operands: 0},
  id: {
    harmless: true,
    texts: true,
    flags: 'G Z g n r u z a --context --group --groups --name --real --user --zero',
  },
  groups: {harmless: true, texts: true},
  hostname: {
    operands: 0,
    flags: 'f s i I d A --fqdn --long --short --ip-address --all-ip-addresses --domain --all-fqdns',
  },
  printenv: {harmless: true, texts: true, flags: '0 --null'},
  nproc: {harmless: true, operands: 0, flags: '--all', values: '--ignore'},
  arch: {harmless: true, operands: 0},
  uptime: {harmless: true, operands: 0, flags: 'p s --pretty --since'},
  ps: {harmless: true, texts: true, free: true},
  pgrep: {
    harmless: true,
    texts: true,
    flags: 'f l a x n o v c i w --full --list-name --list-full --exact --newest --oldest --inverse --count',
    values: 'd u U P g t s --delimiter --parent --euid --uid --group --terminal --session',
  },
  lsof: {texts: true, flags: 'i n P t a b l R', values: 'p c u d s'},
  ss: {
    texts: true,
    flags:
      't u l n p a x w o e m i s r 4 6 0 H O --tcp --udp --listening --numeric --processes --all --unix --summary --no-header',
  },
  who: {harmless: true, texts: true, flags: 'a b d l m p q r s t T u w H'},
  w: {harmless: true, texts: true, flags: 'h u s f i o'},
  whereis: {harmless: true, texts: true, flags: 'b m s u l g'},
  lsblk: {harmless: true, texts: true, flags: 'a b d f i l m n p r S t', values: 'o I e x'},
  tty: {harmless: true, flags: 's --silent --quiet'},
  free: {harmless: true, operands: 0, flags: 'b k m g h t w l --human --total --wide'},
  locale: {harmless: true, texts: true, flags: 'a m k c'},
  cal: {harmless: true, texts: true, flags: '1 3 s m j y Y w h'},
};
