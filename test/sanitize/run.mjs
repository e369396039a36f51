// Tests the launcher and the addon with ASan and UBSan: the launcher with the most demanding part of the suite, the addon
// with some hundred runs in one session, then the launcher with TSan. Any report fails. Needs clang (Debian: clang libclang-rt-dev), whose runtime
// serves both.
// usage: npm run sanitize [-- prefix of tests ...]
import {execFileSync, spawnSync} from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import path from 'node:path';
import {createRequire} from 'node:module';
import {sources} from '../../native/sources.mjs';
import {installForTests} from '../install.mjs';

const root = path.dirname(path.dirname(import.meta.dirname));
const prefixes = process.argv.slice(2);
const suite =
  prefixes.length > 0
    ? prefixes
    : [
        'e2e/processes',
        'e2e/limits',
        'e2e/signals',
        'e2e/workspace',
        'e2e/autorun.test',
        'e2e/debris',
        'e2e/nested',
        'e2e/supervisor',
        'library/library',
      ];
const kernels =
  prefixes.length > 0
    ? []
    : [
        ['as it is', 'root'],
        ['no namespaces', 'user'],
      ];

/** The folder for reports. Every user that runs ion in the tests can use it. */
const out = mkdtempSync('/var/tmp/ion-sanitize-');
chmodSync(out, 0o755);
process.on('exit', () => rmSync(out, {recursive: true, force: true}));
const reports = path.join(out, 'reports');
mkdirSync(reports);
chmodSync(reports, 0o1777);

const common = ['-g', '-O1', '-fno-omit-frame-pointer'];
const flags = [
  ...common,
  '-fsanitize=address,undefined',
  '-fno-sanitize=object-size', // ASan's report says more
  '-fno-sanitize-recover=all',
];
const sourcesOf = (target, ending) =>
  sources[target].filter((name) => name.endsWith(ending)).map((name) => path.join(root, 'native', name));

function buildLauncher(name, sanitizers) {
  const file = path.join(out, name);
  execFileSync('clang', [
    ...[
      ...sanitizers,
      '-std=c11',
      '-pthread',
      `-DREPORTS="${reports}"`,
      '-I',
      path.join(root, 'native/launcher'),
      '-o',
      file,
    ],
    ...[...sourcesOf('launcher', '.c'), path.join(import.meta.dirname, 'report.c')],
  ]);
  return file;
}

function buildAddon() {
  const file = path.join(out, 'ion.node');
  const require = createRequire(path.join(root, 'package.json'));
  const beside = path.join(path.dirname(path.dirname(process.execPath)), 'include/node');
  const headers = existsSync(path.join(beside, 'node_api.h')) ? beside : '/usr/include/node';
  // C sources, which clang++ would compile as C++.
  const objects = sourcesOf('addon', '.c').map((source, index) => {
    const object = path.join(out, `addon-${index}.o`);
    const include = ['-I', path.join(root, 'native/launcher')];
    execFileSync('clang', [...flags, '-std=c11', '-fPIC', ...include, '-c', '-o', object, source]);
    return object;
  });
  execFileSync('clang++', [
    ...[
      ...flags,
      '-shared-libasan',
      '-std=c++17',
      '-shared',
      '-fPIC',
      '-DNAPI_VERSION=8',
      '-DNODE_ADDON_API_CPP_EXCEPTIONS',
    ],
    ...['-I', headers, '-I', require('node-addon-api').include_dir, '-o', file],
    ...sourcesOf('addon', '.cc'),
    ...objects,
  ]);
  return file;
}

function run(args, environment = {}) {
  const {status} = spawnSync(process.execPath, args, {
    cwd: root,
    stdio: 'inherit',
    env: {...process.env, ...environment},
  });
  if (status !== 0) process.exitCode = 1;
}

function readReports() {
  return readdirSync(reports).map((name) => readFileSync(path.join(reports, name), 'utf8'));
}

/** Makes one report of each kind first: a test whose reports are lost proves nothing. */
function tryReports(launcher, kinds) {
  for (const [kind, words] of kinds) {
    const {status} = spawnSync(launcher, ['--version'], {env: {ION_SANITIZE_FAIL: kind}, stdio: 'ignore'});
    const seen = readReports().some((text) => text.includes(words));
    if (status !== 99 || !seen) throw new Error(`the ${kind} sanitizer reports nothing (exit ${status})`);
    for (const name of readdirSync(reports)) rmSync(path.join(reports, name));
  }
}

const launcher = buildLauncher('ion-launcher', flags);
tryReports(launcher, [
  ['address', 'heap-buffer-overflow'],
  ['undefined', 'signed integer overflow'],
]);
run([path.join(root, 'test/run.mjs'), ...suite], {ION_TEST_LAUNCHER: launcher});
for (const kernel of kernels)
  run([path.join(root, 'test/conformance/run.mjs'), kernel], {ION_TEST_LAUNCHER: launcher});

const threads = buildLauncher('ion-launcher-threads', [...common, '-fsanitize=thread']);
tryReports(threads, [['thread', 'data race']]);
run([path.join(root, 'test/run.mjs'), ...suite], {ION_TEST_LAUNCHER: threads});

if (prefixes.length === 0) {
  const packageRoot = await installForTests(root);
  copyFileSync(buildAddon(), path.join(packageRoot, 'native/build/Release/ion.node'));
  copyFileSync(launcher, path.join(packageRoot, 'native/build/Release/ion-launcher'));
  run([path.join(root, 'test/leaks/run.mjs'), '60', '0'], {
    ION_TEST_PACKAGE: packageRoot,
    // Node is not built with ASan, so its runtime must be loaded first.
    ION_TEST_PRELOAD: execFileSync('clang', ['-print-file-name=libclang_rt.asan-x86_64.so'], {
      encoding: 'utf8',
    }).trim(),
    // The quarantine keeps freed memory to find uses after free. It is small, so that it does not look like a leak of the
    // rounds.
    ASAN_OPTIONS: `quarantine_size_mb=16:detect_leaks=0:halt_on_error=1:exitcode=99:log_path=${reports}/addon`,
  });
}

const found = readReports();
for (const text of found) console.error(text);
console.log(found.length === 0 ? 'no report of a sanitizer' : `${found.length} reports of sanitizers`);
if (found.length > 0) process.exitCode = 1;
