// Prints {imported, opened, inside, plain, together}, in milliseconds. `inside` and `plain` have one time per round, for one command
// with pipes as streams: `inside` in an open session, `plain` by child_process.spawn. `together` is the time of a hundred commands
// at once, and `failed` is how many of them failed.
// usage: node library.mjs <package> <rounds>
import {spawn} from 'node:child_process';
import path from 'node:path';
import {pathToFileURL} from 'node:url';

const [, , root, rounds] = process.argv;
const timed = async (work) => {
  const before = performance.now();
  const result = await work();
  return [performance.now() - before, result];
};
const [imported, {open}] = await timed(() => import(pathToFileURL(path.join(root, 'lib/index.mjs')).href));
const [opened, session] = await timed(() => open());
const plainly = () =>
  new Promise((resolve, reject) => {
    const child = spawn('/bin/bash', ['--norc', '-c', 'true']);
    child.once('error', reject);
    child.once('close', resolve);
    child.stdout.resume();
    child.stderr.resume();
  });

const inside = [];
const plain = [];
for (let round = -5; round < Number(rounds); round++) {
  const [mine] = await timed(() => session.spawn('true'));
  const [theirs] = await timed(plainly);
  if (round < 0) continue;
  inside.push(mine);
  plain.push(theirs);
}
const hundred = (work) => timed(() => Promise.allSettled(Array.from({length: 100}, work)));
const [together, results] = await hundred(() => session.spawn('true'));
const [plainTogether] = await hundred(plainly);
const failed = results.filter(({status}) => status === 'rejected').length;
await session.close();
process.stdout.write(JSON.stringify({imported, opened, inside, plain, together, plainTogether, failed}));
