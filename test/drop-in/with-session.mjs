// Runs a package's own tests and prints TAP. child_process.spawn of this process is Node's, or that of a session.
// usage: node with-session.mjs <the library's index.mjs, or "node"> <tape|mocha> <test file> ...
import childProcess from 'node:child_process';
import {createRequire} from 'node:module';
import {pathToFileURL} from 'node:url';

const [, , library, runner, ...files] = process.argv;
const require = createRequire(files[0]);
// A test leaves its package's folder by "cd ..". A setting makes the folder above readable.
const settings = {sandbox: {read_roots: [process.cwd(), '..']}};
const session =
  library === 'node' ? undefined : await (await import(pathToFileURL(library))).open({settings});
if (session) childProcess.spawn = (program, args, options) => session.spawn(program, args ?? [], options);
const close = () => session?.close();
if (runner === 'tape') {
  require('tape').onFinish(close);
  for (const file of files) require(file);
} else {
  const mocha = new (require('mocha'))({reporter: 'tap', timeout: 20_000});
  for (const file of files) mocha.addFile(file);
  mocha.run(close);
}
