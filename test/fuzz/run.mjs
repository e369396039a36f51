// Build each fuzzer with ASan and UBSan and run it: on its corpus, and for a while on what libFuzzer makes of it.
// usage: npm run fuzz [-- seconds]; default 20 seconds each. Needs clang (Debian: clang libclang-rt-dev).
import {spawnSync} from 'node:child_process';
import {existsSync, mkdirSync, mkdtempSync, rmSync} from 'node:fs';
import path from 'node:path';
import {fileURLToPath} from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.dirname(path.dirname(here));
const seconds = Number(process.argv[2] ?? 20);
const launcher = (name) => path.join(root, 'native/launcher', name);
const fuzzers = {
  name_query: [launcher('answer/net/name_query.c')],
  options: [launcher('options/options.c')],
  glob: [launcher('base/command_pattern.c')],
  path_glob: [launcher('base/path_pattern.c')],
  resolve: [launcher('supervise/task.c'), launcher('paths/resolve.c')],
  diagnosis: [],
  sockaddr: [
    launcher('answer/net/address.c'),
    launcher('answer/net/endpoint.c'),
    launcher('report/report.c'),
  ],
};
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

for (const [name, sources] of Object.entries(fuzzers)) {
  const binary = path.join(out, name);
  const dictionary = path.join(here, `${name}.dict`);
  const found = path.join(out, `${name}-corpus`);
  mkdirSync(found, {recursive: true});
  run('clang', [
    ...['-g', '-O1', '-fsanitize=fuzzer,address,undefined', '-fno-sanitize-recover=all'],
    ...['-I', path.join(root, 'native/launcher'), '-o', binary, path.join(here, `${name}.c`), ...sources],
  ]);
  run(binary, [
    ...[`-max_total_time=${seconds}`, '-max_len=4096', '-timeout=10', '-print_final_stats=1', '-verbosity=0'],
    ...(existsSync(dictionary) ? [`-dict=${dictionary}`] : []),
    ...[`-artifact_prefix=${out}/${name}-`, found, path.join(here, 'corpus', name)],
  ]);
  console.log(`${name}: nothing found in ${seconds} s`);
}
