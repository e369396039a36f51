import {analyze} from '../../../src/shell/parse/analyze.ts';
import {startedBy} from '../../../src/shell/known-names.ts';
import {checkSafe, type SafeContext, type SafeVerdict} from '../../../src/shell/read-mode/safe.ts';

/** Every program is in /usr/bin, except programs called by a path. */
export function contextFor(command: string): SafeContext {
  const programs = new Map<string, string>();
  for (const {argv} of analyze(command).segments) {
    for (const name of [argv[0]?.text ?? '', ...startedBy(argv)]) programs.set(name, fileOf(name));
  }
  return {programs, systemProgramFolders: ['/usr/bin', '/bin'], absoluteSearchPath: true};
}

function fileOf(name: string): string {
  if (name.startsWith('/')) return name;
  return name.includes('/') ? `/ws/${name}` : `/usr/bin/${name}`;
}

export function checkCommand(command: string, context = contextFor(command)): SafeVerdict {
  return checkSafe(analyze(command), context);
}
