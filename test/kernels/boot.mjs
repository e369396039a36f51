// Starts one guest with a kernel and disks, and reads its report. The guest is emulated (TCG), because nested KVM is
// unusable on some machines.
import {spawn} from 'node:child_process';
import {readFileSync, rmSync, writeFileSync} from 'node:fs';

const reportBytes = 8 << 20;

/**
 * `tsc=reliable`: on a busy machine the kernel's watchdog marks the clock as unstable and rewrites sched_clock_tick while
 * another processor executes it, which caused a panic under TCG (7.3). The last four parameters only make an emulated
 * processor faster: indirect jumps and fresh pages are its most expensive operations, and removing a namespace waits for
 * every processor.
 */
const parameters = [
  ...['console=ttyS0', 'quiet', 'loglevel=3', 'panic=-1', 'no_timer_check', 'tsc=reliable'],
  ...['mitigations=off', 'init_on_alloc=0', 'randomize_kstack_offset=off', 'rcupdate.rcu_expedited=1'],
];

/**
 * Boots the guest and waits for its end. `log` keeps the console output. Returns the guest's report; without one, throws
 * with the last lines of the console.
 */
export async function boot({kernel, initramfs, disks, ask, processors, report, log, timeoutMs}) {
  writeFileSync(report, Buffer.alloc(reportBytes));
  const drive = (file, snapshot) => `file=${file},if=virtio,format=raw${snapshot ? ',snapshot=on' : ''}`;
  const args = [
    ...[
      '-accel',
      'tcg,thread=multi,tb-size=512',
      '-cpu',
      'max,la57=off',
      '-smp',
      String(processors),
      '-m',
      '3072',
    ],
    ...['-kernel', kernel, '-initrd', initramfs],
    ...disks.flatMap((disk) => ['-drive', drive(disk, true)]),
    ...['-drive', drive(report, false)],
    ...['-append', [...parameters, `ask=${ask.join(',')}`].join(' ')],
    ...['-nographic', '-no-reboot', '-net', 'none'],
  ];
  const console_ = await run('nice', ['-n', '10', 'qemu-system-x86_64', ...args], timeoutMs);
  writeFileSync(log, console_);
  const text = readFileSync(report, 'utf8');
  rmSync(report);
  const end = text.indexOf('\n');
  if (end === -1)
    throw new Error(`the guest has reported nothing\n${console_.split('\n').slice(-30).join('\n')}`);
  return JSON.parse(text.slice(0, end));
}

function run(program, args, timeoutMs) {
  const guest = spawn(program, args, {stdio: ['ignore', 'pipe', 'pipe']});
  let output = '';
  let line = '';
  const take = (bytes) => {
    output += bytes;
    const lines = (line + bytes).split('\n');
    line = lines.pop();
    for (const one of lines) if (one.startsWith('guest: ')) process.stderr.write(`  ${one.trim()}\n`);
  };
  guest.stdout.on('data', take);
  guest.stderr.on('data', take);
  const timer = setTimeout(() => guest.kill('SIGKILL'), timeoutMs);
  return new Promise((resolve, reject) => {
    guest.once('error', reject);
    guest.once('close', () => {
      clearTimeout(timer);
      resolve(output);
    });
  });
}
