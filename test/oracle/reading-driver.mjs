// Runs commands in the folder it is started in, one at a time, and says what each of them has changed there.
// stdin: a line of JSON for each command: {"command": …, "environment": …}; stdout: a line for each: {"changed": […]}.
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

/** What would show a change: of a file its inode, size, mode and times, but for the time of the last look at it. */
function snapshot(folder, found = new Map()) {
  for (const name of readdirSync(folder)) {
    const file = `${folder}/${name}`;
    // TMPDIR: what a program that is ended at its limit has left there is not kept.
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
