// Network by name, against the same client and servers without ion. The servers are in network namespaces of their own.
import {spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {chmodSync, copyFileSync, mkdirSync} from 'node:fs';
import path from 'node:path';
import {compare, environment, time} from './measure.mjs';

const rounds = 5;

export async function network({report, root, scratch, ion, node, configFile}) {
  const folder = path.join(scratch, 'network');
  mkdirSync(folder);
  chmodSync(folder, 0o755);
  const client = path.join(folder, 'client.py');
  copyFileSync(path.join(root, 'test/bench/network-client.py'), client);
  const {server, enter} = await startServers(root, folder);
  try {
    const table = '[sandbox.network]\nallow = ["ok.example", "ok.example:80", "tcp://plain.example:22"]\n';
    const named = [ion, 'run', '--config', configFile(table)];
    const closed = [ion, 'run', '--config', configFile('')];
    const start = (words) => () => time(enter[0], [...enter.slice(1), node, ...words, 'true'], {cwd: folder});
    const starts = compare({named: start(named), closed: start(closed)}, rounds * 3);
    report.difference(
      'start with a network table',
      starts.named,
      ['network = "none"', starts.closed],
      '<= +0.5 ms',
    );

    const measure = (words) => {
      const [program, ...args] = [...enter, ...words, 'python3', client];
      const {status, stdout, stderr} = spawnSync(program, args, {
        cwd: folder,
        env: environment,
        encoding: 'utf8',
      });
      if (status !== 0) throw new Error(stderr);
      return JSON.parse(stdout);
    };
    const inside = [];
    const outside = [];
    for (let round = 0; round < rounds; round++) {
      outside.push(measure([]));
      inside.push(measure([node, ...named, '--']));
    }
    const of = (list, what) => list.map((one) => one[what]);
    const pair = (what) => [of(inside, what), ['outside', of(outside, what)]];
    report.difference('look up an allowed name', ...pair('lookup'), '<= +0.1 ms');
    report.difference('connect and first byte', ...pair('greeting'), '<= +0.15 ms');
    const speed = (what) => [of(outside, what), ['inside', of(inside, what)]];
    report.ratio('speed of HTTPS, a connection for each request', ...speed('fetch'), '>= 0.6');
    report.ratio('speed of HTTPS, one connection', ...speed('kept'), '>= 0.9');
    report.ratio('speed of an upload of 400 MB', ...speed('upload'), '');
  } finally {
    server.stdin.end();
  }
}

async function startServers(root, folder) {
  const subject = ['-subj', '/CN=ok.example', '-keyout', `${folder}/key.pem`, '-out', `${folder}/cert.pem`];
  const {status} = spawnSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject]);
  if (status !== 0) throw new Error('openssl makes no certificate');
  const isRoot = process.getuid() === 0;
  const apart = isRoot ? ['-n', '-m'] : ['-U', '--map-current-user', '--keep-caps', '-n', '-m'];
  const program = path.join(root, 'test/harness/network-world.py');
  const server = spawn('unshare', [...apart, 'python3', program, folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = await once(server.stdout, 'data');
  if (String(line).trim() !== 'ready') throw new Error('no servers');
  const user = isRoot ? [] : ['-U', '--preserve-credentials'];
  return {server, enter: ['nsenter', '-t', String(server.pid), '-n', '-m', ...user, `--wd=${folder}`]};
}
