// `npm run kernels [-- VERSION ...] [part ...]`: doctor, everyday work and the conformance table on Debian's own kernels, under QEMU.
// VERSION: 5.10, 6.1, 6.12, newest; the other words are those of guest.ts. Without a version all.
import {execFileSync} from 'node:child_process';
import {cpSync, copyFileSync, mkdirSync, mkdtempSync, rmSync} from 'node:fs';
import path from 'node:path';
import {pathToFileURL} from 'node:url';
import {bundled} from '../bundle.mjs';
import {installForTests} from '../install.mjs';
import {boot} from './boot.mjs';
import {cache, fetchKernel} from './fetch.mjs';
import {makeDisk, makeInitramfs, makeUserland} from './images.mjs';
import {kernels} from './kernels.mjs';

const here = import.meta.dirname;
const root = path.dirname(path.dirname(here));
const hoursMs = 60 * 60 * 1000;

const words = process.argv.slice(2);
const chosen = kernels.filter(({id}) => words.includes(id));
const ask = words.filter((word) => !kernels.some(({id}) => id === word));

mkdirSync(cache, {recursive: true});
const tested = path.join(cache, `tested-${process.pid}.ext4`);
process.on('exit', () => rmSync(tested, {force: true}));
const [guest, summary] = await bundled(['kernels/guest.ts', 'kernels/summary.ts']);
await makeTested(guest, tested);
const userland = makeUserland();
const {problemsOf, tableOf} = await import(pathToFileURL(summary).href);

const all = [];
for (const kernel of chosen.length > 0 ? chosen : kernels) {
  const {image, modules, release} = fetchKernel(kernel);
  process.stderr.write(`${kernel.id}: ${release} (${kernel.of})\n`);
  const report = await boot({
    kernel: image,
    initramfs: makeInitramfs({modules, release}),
    disks: [userland, tested],
    ask,
    report: path.join(cache, `report-${process.pid}`),
    log: path.join(cache, `console-${kernel.id}.log`),
    timeoutMs: 3 * hoursMs,
  });
  all.push({kernel, report});
  for (const problem of problemsOf(report, kernel.id)) {
    process.exitCode = 1;
    console.log(`${kernel.id}: ${problem}`);
  }
}
console.log(tableOf(all));

/** The package as it is installed, the guest's program, and what it reads of the repository. */
async function makeTested(program, target) {
  const folder = mkdtempSync(path.join(cache, 'tested-'));
  try {
    const pack = path.join(folder, 'package');
    cpSync(await installForTests(root), pack, {recursive: true});
    mkdirSync(path.join(pack, 'test-native'));
    const filter = path.join(pack, 'test-native/deny-syscalls');
    execFileSync('cc', ['-O1', '-o', filter, path.join(root, 'test/native/deny-syscalls.c')]);
    const repository = path.join(folder, 'repository');
    mkdirSync(path.join(repository, 'test/conformance'), {recursive: true});
    copyFileSync(
      path.join(root, 'test/conformance/victim.py'),
      path.join(repository, 'test/conformance/victim.py'),
    );
    copyFileSync(program, path.join(repository, 'guest.mjs'));
    copyFileSync(path.join(here, 'guest-init.sh'), path.join(folder, 'init.sh'));
    execFileSync('chmod', ['-R', 'a+rX', folder]);
    makeDisk(folder, target, 64);
  } finally {
    rmSync(folder, {recursive: true, force: true});
  }
}
