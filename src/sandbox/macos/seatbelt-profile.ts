import {readFileSync} from 'node:fs';
import path from 'node:path';
import {isWithin} from '../../system/is-within.ts';
import {exactPattern, globPattern, pathPattern} from './seatbelt-patterns.ts';
import {ancestorsOf, type SeatbeltPlan} from './seatbelt-plan.ts';

/** A profile for sandbox-exec. Its text consists only of files of profiles/macos; every path is a parameter. */
export interface Profile {
  readonly text: string;
  readonly parameters: readonly (readonly [name: string, value: string])[];
}

/** Gives the text of one file of profiles/macos. */
export type ReadPart = (name: string) => string;

export function partsOf(packageRoot: string): ReadPart {
  const folder = path.join(packageRoot, 'profiles/macos');
  return (name) => readFileSync(path.join(folder, `${name}.sb`), 'utf8');
}

/** One file of the profile. A file with slots is added once for each slot. */
interface Part {
  readonly name: string;
  readonly slots?: readonly Readonly<Record<string, string>>[];
}

/** All allow rules come before all deny rules (see base.sb). Pure, except for reading the parts. */
export function makeProfile(plan: SeatbeltPlan, readPart: ReadPart): Profile {
  const parameters = new Map([['TAG', `ion-${plan.tag}`]]);
  const texts: string[] = [];
  for (const {name, slots} of partsFor(plan)) {
    const text = withoutComments(readPart(name));
    if (!slots) texts.push(text);
    for (const [slot, values] of (slots ?? []).entries()) {
      texts.push(text.replaceAll('@', String(slot)));
      for (const [key, value] of Object.entries(values)) parameters.set(`${key}_${slot}`, value);
    }
  }
  return {text: texts.join(''), parameters: [...parameters]};
}

function partsFor(plan: SeatbeltPlan): Part[] {
  const slots = (key: string, values: readonly string[]): Readonly<Record<string, string>>[] =>
    values.map((value) => ({[key]: value}));
  return [
    {name: 'base'},
    {name: 'devices'},
    {name: 'system'},
    {name: 'root-read', slots: slots('READ', plan.read)},
    {name: 'root-view', slots: slots('VIEW', plan.view)},
    {name: 'root-list', slots: slots('LIST', plan.list)},
    {name: 'root-write', slots: slots('WRITE', plan.write)},
    {name: 'root-append', slots: slots('APPEND', plan.append)},
    {name: `network-${plan.network}`},
    {name: 'socket-local', slots: slots('LOCAL', plan.localSockets)},
    {name: 'socket-named', slots: slots('SOCKET', plan.namedSockets)},
    {name: 'last'},
    ...(plan.namedSockets.some(isEngineSocket) ? [] : [{name: 'last-sockets'}]),
    {name: 'last-no-execute', slots: slots('NO_EXECUTE', plan.noExecute)},
    {name: 'last-root', slots: slots('WRITE', plan.write)},
    {name: 'last-shared', slots: slots('SHARED', sharedRoots(plan))},
    {
      name: 'last-protect',
      slots: plan.protect.map((file) => ({PROTECT: file, PROTECT_PATTERN: pathPattern(file)})),
    },
    {
      name: 'last-denied-path',
      slots: slots(
        'DENIED',
        plan.denied.filter(({glob}) => !glob).map(({path: file}) => file),
      )!,
    },
    {name: 'last-denied', slots: plan.denied.map((denied) => ({DENIED_PATTERN: deniedPattern(denied)}))},
    {
      name: 'last-ancestor',
      slots: ancestorsOf(plan).map((folder) => ({ANCESTOR: folder, ANCESTOR_PATTERN: exactPattern(folder)})),
    },
  ];
}

/** Leaves out a root around the workspace, because the run could not remove its own sockets in it. */
function sharedRoots({write, localSockets}: SeatbeltPlan): string[] {
  return write.filter((root) => !localSockets.some((local) => isWithin(local, root)));
}

function deniedPattern({path: file, glob}: SeatbeltPlan['denied'][number]): string {
  const pattern = glob ? globPattern(file) : pathPattern(file);
  if (pattern === undefined) throw new Error(`no pattern for ${file}`);
  return pattern;
}

/** The form is that of last-sockets.sb. */
function isEngineSocket(file: string): boolean {
  return (
    /\/(?:docker|docker[.]raw|containerd|podman|buildkitd|dockershim|crio)[^/]*[.]sock$/.test(file) ||
    /\/[.](?:docker|colima|orbstack|rd|lima|finch)\//.test(file)
  );
}

function withoutComments(text: string): string {
  return text.replaceAll(/^\s*;.*\n/gm, '').replaceAll(/\n\n+/g, '\n');
}
