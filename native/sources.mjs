// The only list of native sources, read from the folders. binding.gyp, the fuzzers and the sanitizer builds use it.
// usage: node sources.mjs launcher|addon|starter   prints one path per line, relative to this folder
import {readdirSync} from 'node:fs';
import path from 'node:path';
import {fileURLToPath} from 'node:url';

/** Code that the addon and the launcher have in common. */
const shared = ['launcher/cleanup/remove_folder.c', 'launcher/confine/ownerless.c'];

const here = path.dirname(fileURLToPath(import.meta.url));

function below(folder, ending) {
  return readdirSync(path.join(here, folder), {recursive: true, encoding: 'utf8'})
    .filter((name) => name.endsWith(ending))
    .map((name) => `${folder}/${name}`)
    .sort();
}

export const sources = {
  launcher: below('launcher', '.c'),
  starter: below('starter', '.c'),
  addon: [...below('addon', '.cc'), ...shared],
};

if (sources[process.argv[2]]) process.stdout.write(`${sources[process.argv[2]].join('\n')}\n`);
