// Runs commands one at a time in the current folder, and reports what each of them changed there.
// stdin: one line of JSON per command: {"command": …, "environment": …}
// stdout: one line per command: {"changed": […]}
import {spawn} from 'node:child_process';
import {lstatSync, readdirSync, rmSync} from 'node:fs';
import {createInterface} from 'node:readline';

const limitMs = 3000;
let before = snapshot('.');

for await (const line of createInterface({input: process.stdin})) {
  const {command, environment} = JSON.parse(line);
  await run(command, environment);
  const after = snapshot('.');
  const changed = differences(before, after);
  for (const name of changed) if (!before.has(name)) rmSync(name, {recursive: true, force: true});
  before = changed.length > 0 ? snapshot('.') : after;
  process.stdout.write(`${JSON.stringify({changed})}\n`);
}

function run(command, environment) {
  const child = spawn('/bin/bash', ['--norc', '-c', command], {
    env: environment,
    stdio: ['ignore', 'ignore', 'ignore'],
    detached: true,
  });
  return new Promise((resolve) => {
    const timer = setTimeout(() => end(child.pid), limitMs);
    child.once('close', () => {
      clearTimeout(timer);
      end(child.pid);
      resolve();
    });
  });
}

function end(pid) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All of them have ended.
  }
}

/** The properties that show a change of a file: its inode, size, mode and times, except the access time. */
function snapshot(folder, found = new Map()) {
  for (const name of readdirSync(folder)) {
    const file = `${folder}/${name}`;
    // TMPDIR: files that a killed program left there do not count.
    if (file === './.tmp') continue;
    let info;
    try {
      info = lstatSync(file, {bigint: true});
    } catch {
      continue;
    }
    found.set(
      file,
      `${info.ino} ${info.size} ${info.mode} ${info.isDirectory() ? '' : `${info.mtimeNs} ${info.ctimeNs}`}`,
    );
    if (info.isDirectory()) snapshot(file, found);
  }
  return found;
}

function differences(one, other) {
  const names = new Set([...one.keys(), ...other.keys()]);
  return [...names].filter((name) => one.get(name) !== other.get(name));
}
