// Builds each fuzzer with ASan and UBSan and runs it: first on its corpus, then for some time on new inputs from libFuzzer.
// usage: npm run fuzz [-- seconds]; default 20 seconds each. Needs clang (Debian: clang libclang-rt-dev).
import {spawnSync} from 'node:child_process';
import {existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync} from 'node:fs';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {sources} from '../../native/sources.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.dirname(path.dirname(here));
const seconds = Number(process.argv[2] ?? 20);
const fuzzers = readdirSync(here)
  .filter((name) => name.endsWith('.c'))
  .map((name) => path.basename(name, '.c'));
const out = path.join(root, 'build/fuzz');
mkdirSync(out, {recursive: true});

function run(command, args) {
  const cwd = mkdtempSync(path.join(out, 'scratch-'));
  const {status, error} = spawnSync(command, args, {stdio: 'inherit', cwd});
  rmSync(cwd, {recursive: true});
  if (status !== 0) {
    console.error(`${command} ${args.join(' ')}: ${error?.message ?? `exit ${status}`}`);
    process.exit(1);
  }
}

const flags = ['-g', '-O1', '-fsanitize=fuzzer-no-link,address,undefined', '-fno-sanitize-recover=all'];
const include = ['-I', path.join(root, 'native/launcher')];

/** Everything of the launcher but main(). Each fuzzer links the functions that it calls. */
function buildArchive() {
  const archive = path.join(out, 'launcher.a');
  rmSync(archive, {force: true});
  const objects = sources.launcher
    .filter((name) => path.basename(name) !== 'main.c')
    .map((name) => {
      const object = path.join(out, `${name.replaceAll('/', '-')}.o`);
      run('clang', [...flags, '-std=c11', ...include, '-c', '-o', object, path.join(root, 'native', name)]);
      return object;
    });
  run('ar', ['rcs', archive, ...objects]);
  return archive;
}

const archive = buildArchive();
for (const name of fuzzers) {
  const binary = path.join(out, name);
  const dictionary = path.join(here, `${name}.dict`);
  const found = path.join(out, `${name}-corpus`);
  mkdirSync(found, {recursive: true});
  run('clang', [
    ...['-g', '-O1', '-fsanitize=fuzzer,address,undefined', '-fno-sanitize-recover=all', '-pthread'],
    ...[...include, '-o', binary, path.join(here, `${name}.c`), archive],
  ]);
  run(binary, [
    ...[`-max_total_time=${seconds}`, '-max_len=4096', '-timeout=10', '-print_final_stats=1', '-verbosity=0'],
    ...(existsSync(dictionary) ? [`-dict=${dictionary}`] : []),
    ...[`-artifact_prefix=${out}/${name}-`, found, path.join(here, 'corpus', name)],
  ]);
  console.log(`${name}: nothing found in ${seconds} s`);
}
