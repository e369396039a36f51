// Runs `ion doctor`, everyday work and the conformance table on Debian's own kernels, under QEMU.
//
// usage: npm run kernels [-- VERSION ...] [part ...] [cpus:1] [record]
//   VERSION  5.10, 6.1, 6.12 or newest; default: all of them
//   part     a part of the tests, see guest.ts
//   cpus:1   a guest with one processor instead of two, for a busy machine
//   record   writes the results into results.json, from which `npm run readme` makes its tables
import {execFileSync} from 'node:child_process';
import {cpSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {pathToFileURL} from 'node:url';
import {bundled} from '../bundle.mjs';
import {installForTests} from '../install.mjs';
import {boot} from './boot.mjs';
import {cache, fetchKernel} from './fetch.mjs';
import {makeDisk, makeFileSystems, makeInitramfs, makeUserland} from './images.mjs';
import {kernels} from './kernels.mjs';

const here = import.meta.dirname;
const root = path.dirname(path.dirname(here));
const hoursMs = 60 * 60 * 1000;

const words = process.argv.slice(2);
const chosen = kernels.filter(({id}) => words.includes(id));
const processors = Number(words.find((word) => word.startsWith('cpus:'))?.slice('cpus:'.length) ?? 2);
const ask = words.filter(
  (word) => word !== 'record' && !word.startsWith('cpus:') && !kernels.some(({id}) => id === word),
);
const results = path.join(here, 'results.json');
const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], {cwd: root, encoding: 'utf8'}).trim();

mkdirSync(cache, {recursive: true});
const tested = path.join(cache, `tested-${process.pid}.ext4`);
process.on('exit', () => rmSync(tested, {force: true}));
const [guest, summary, recorded] = await bundled(
  ['kernels/guest.ts', 'kernels/summary.ts', 'kernels/recorded.ts'],
  {isWhole: true},
);
await makeTested(guest, tested);
const userland = makeUserland();
const {problemsOf, tableOf} = await import(pathToFileURL(summary).href);
const {withReport} = await import(pathToFileURL(recorded).href);

const all = [];
for (const kernel of chosen.length > 0 ? chosen : kernels) {
  const {image, modules, release} = fetchKernel(kernel);
  process.stderr.write(`${kernel.id}: ${release} (${kernel.of})\n`);
  const report = await boot({
    kernel: image,
    initramfs: makeInitramfs({modules, release}),
    disks: [userland, tested],
    ask,
    processors,
    report: path.join(cache, `report-${process.pid}`),
    log: path.join(cache, `console-${kernel.id}.log`),
    timeoutMs: 3 * hoursMs,
  });
  all.push({kernel, report});
  writeFileSync(path.join(cache, `report-${kernel.id}.json`), JSON.stringify(report));
  if (words.includes('record')) record(kernel, report);
  for (const problem of problemsOf(report, kernel.id)) {
    process.exitCode = 1;
    console.log(`${kernel.id}: ${problem}`);
  }
}
console.log(tableOf(all));

function record({id}, report) {
  const before = JSON.parse(readFileSync(results, 'utf8'));
  const parts = ['doctor', 'smoke', 'file-systems', 'conformance'].filter((part) => ask.includes(part));
  const run = {
    kernel: id,
    commit,
    date: new Date().toISOString().slice(0, 10),
    worked: parts.length === 0 || parts.includes('smoke'),
  };
  writeFileSync(results, `${JSON.stringify(withReport(before, report, run), null, 2)}\n`);
}

/** A disk with the installed package, the guest's program, and the files of the repository that it reads. */
async function makeTested(program, target) {
  const folder = mkdtempSync(path.join(cache, 'tested-'));
  try {
    const pack = path.join(folder, 'package');
    cpSync(await installForTests(root), pack, {recursive: true});
    mkdirSync(path.join(pack, 'test-native'));
    const filter = path.join(pack, 'test-native/deny-syscalls');
    execFileSync('cc', ['-O1', '-o', filter, path.join(root, 'test/native/deny-syscalls.c')]);
    const repository = path.join(folder, 'repository');
    for (const name of ['conformance/victim.py', 'conformance/given.py', 'harness/network-world.py']) {
      mkdirSync(path.dirname(path.join(repository, 'test', name)), {recursive: true});
      copyFileSync(path.join(root, 'test', name), path.join(repository, 'test', name));
    }
    makeFileSystems(path.join(repository, 'file-systems'));
    copyFileSync(program, path.join(repository, 'guest.mjs'));
    copyFileSync(path.join(here, 'guest-init.sh'), path.join(folder, 'init.sh'));
    execFileSync('chmod', ['-R', 'a+rX', folder]);
    makeDisk(folder, target, 64);
  } finally {
    rmSync(folder, {recursive: true, force: true});
  }
}
