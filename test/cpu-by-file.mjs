// `node test/run.mjs --cpu` preloads this into the process of each test file. At the end of the process it adds a line to the
// file that ION_TEST_CPU names: the processor seconds (user and system) of this process and of each descendant that was waited
// for. A test that leaves a process to process 1 hides it from this count. Linux only.
import {appendFileSync, readFileSync} from 'node:fs';

/** Clock ticks per second, the unit of /proc/PID/stat: 100 on every Linux that runs Node. */
const ticks = 100;

/** Processor seconds of this process and of the processes that it waited for, theirs included. */
export function processorSeconds() {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  // The second field, the name, may contain spaces. utime, stime, cutime and cstime are fields 14 to 17.
  const [utime, stime, cutime, cstime] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15)
    .map(Number);
  return {own: (utime + stime) / ticks, descendants: (cutime + cstime) / ticks};
}

const {ION_TEST_CPU: report} = process.env;
// node:test's runner passes its options on to each file. Only the files have this variable.
if (report && process.env.NODE_TEST_CONTEXT) {
  process.on('exit', () => {
    const {own, descendants} = processorSeconds();
    appendFileSync(report, `${own}\t${descendants}\t${process.argv[1]}\n`);
  });
}
