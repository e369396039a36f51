import type {Analysis, Segment, Span, Word} from '../analysis.ts';
import {isWithin} from '../../system/is-within.ts';
import {mountFolders, sharedFolders, systemFolders} from '../../system/system-folders.ts';
import {absolutePath, wordPath, type Folders} from '../paths.ts';
import {baseName} from '../../system/base-name.ts';

export interface Guardrail {
  readonly name: string;
  readonly why: string;
  /** A command that reaches the goal without the damage, if there is one. */
  readonly help?: string;
  readonly segment: Segment;
  readonly span: Span;
}

/**
 * Commands that destroy the machine or the user's own files, as far as the text shows it. They are denied in every mode.
 * Commands on other machines (`ssh host reboot`) are not checked.
 */
export function guardrail(analysis: Analysis, folders: Folders): Guardrail | undefined {
  const first = unreadable(analysis) ?? forkBomb(analysis);
  if (first) return first;
  // `cd / && rm -rf *`: a relative path is resolved in each folder that the command changes to.
  const places = [folders];
  for (const segment of analysis.segments) {
    if (segment.reach.includes('remote')) continue;
    const next = changedFolder(segment, places.at(-1)!);
    if (next && places.length < maxPlaces) places.push(next);
    for (const place of places) {
      const found = look(segment, place);
      if (found) return {...found, segment, span: segment.span};
    }
  }
  return undefined;
}

const maxPlaces = 20;

function changedFolder({argv}: Segment, folders: Folders): Folders | undefined {
  const [program, ...args] = argv;
  if (program?.text !== 'cd' && program?.text !== 'pushd') return undefined;
  const target = args.find(({text}) => !/^-[LPe@]*$/.test(text));
  const cwd = target ? wordPath(target, folders) : folders.home;
  return cwd === undefined ? undefined : {...folders, cwd};
}

interface Found {
  readonly name: string;
  readonly why: string;
}

type Look = (segment: Segment, folders: Folders) => Found | undefined;

function look(segment: Segment, folders: Folders): Found | undefined {
  const written = deviceWrite(segment);
  if (written) return written;
  const [program] = segment.argv;
  if (!program) return undefined;
  const name = baseName(program.text);
  if (/^mkfs(\.|$)|^mke2fs$|^mkswap$|^blkdiscard$/.test(name)) return onDevice(segment, name);
  return Object.hasOwn(programs, name) ? programs[name]!(segment, folders) : undefined;
}

const stops: Look = ({argv}) => {
  const name = baseName(argv[0]!.text);
  if (argv.some(({text}) => /^--(help|version|show)$|^-[ckw]$/.test(text))) return undefined;
  return {name: 'shutdown', why: `${name} stops the machine`};
};

const programs: Readonly<Record<string, Look>> = {
  rm: removal,
  shutdown: stops,
  reboot: stops,
  halt: stops,
  poweroff: stops,
  init: ({argv}) =>
    /^[06]$/.test(argv[1]?.text ?? '') ? {name: 'shutdown', why: 'init stops the machine'} : undefined,
  telinit: ({argv}) =>
    /^[06]$/.test(argv[1]?.text ?? '') ? {name: 'shutdown', why: 'telinit stops the machine'} : undefined,
  systemctl: ({argv}) => {
    const verb = argv.slice(1).find(({text}) => !text.startsWith('-'))?.text ?? '';
    if (!/^(poweroff|reboot|halt|kexec|soft-reboot|emergency|rescue)$/.test(verb)) return undefined;
    return {name: 'shutdown', why: `systemctl ${verb} stops the machine`};
  },
  dd: ({argv}) => {
    const output = argv.find(({text}) => text.startsWith('of='));
    if (!output || !isDisk(output.text.slice(3))) return undefined;
    return {name: 'disk-write', why: `dd writes onto ${output.text.slice(3)}`};
  },
  wipefs: (segment) => {
    const erases = segment.argv.some(({text}) => /^(-[a-z]*[ao]|--all|--offset)/.test(text));
    return erases ? onDevice(segment, 'wipefs') : undefined;
  },
  shred: (segment) => onDevice(segment, 'shred'),
  tee: (segment) => onDevice(segment, 'tee'),
  cp: (segment) => onTarget(segment, 'cp'),
  fdisk: (segment) => onDevice(segment, 'fdisk', /^-(l|-list|x|-list-details)$/),
  sfdisk: (segment) => onDevice(segment, 'sfdisk', /^-(l|d|-list|-dump)$/),
  sgdisk: (segment) => onDevice(segment, 'sgdisk', /^-(p|-print)$/),
  parted: (segment) => onDevice(segment, 'parted', /^(-l|--list|print)$/),
  find: (segment, folders) => {
    const {argv} = segment;
    if (!argv.some(({text}) => text === '-delete')) return undefined;
    if (
      argv.some(({text}) =>
        /^-(i?name|i?path|i?regex|m?time|[ac]?mmin|size|empty|user|newer.*|maxdepth|type)$/.test(text),
      )
    ) {
      return undefined;
    }
    return fatal(operands(argv), folders, 'find -delete');
  },
  chmod: recursive('chmod'),
  chown: recursive('chown'),
  chgrp: recursive('chgrp'),
  mv: ({argv}, folders) => fatal(operands(argv).slice(0, -1), folders, 'mv'),
};

/** `rm -rf /` in any spelling. Without -r rm refuses to remove a folder. */
function removal({argv}: Segment, folders: Folders): Found | undefined {
  const options = argv.slice(1).filter(({text}) => /^-./.test(text));
  const deep = options.some(({text}) => /^-[a-zA-Z]*[rR]/.test(text) || text.startsWith('--r'));
  return deep ? fatal(operands(argv), folders, 'rm -r') : undefined;
}

function recursive(name: string): Look {
  return ({argv}, folders) => {
    const deep = argv.some(({text}) => /^-[a-zA-Z]*R/.test(text) || text.startsWith('--rec'));
    if (!deep) return undefined;
    const targets = operands(argv).slice(1);
    const whole = targets.find((word) => wordPath(word, folders) === '/' || wordPath(word, folders) === '/*');
    return whole && {name: 'whole-system', why: `${name} -R of the whole system`};
  };
}

function operands(argv: readonly Word[]): Word[] {
  const dashes = argv.findIndex(({text, literal}) => text === '--' && literal);
  return argv.filter(
    ({text}, index) =>
      index > 0 && index !== dashes && ((dashes !== -1 && index > dashes) || !/^-./.test(text)),
  );
}

/**
 * The system does not work without these folders, or they hold the users' files. Files and folders below them may be removed
 * (`/var/cache/x`).
 */
const foldersToKeep = new Set([
  ...systemFolders,
  ...sharedFolders,
  ...mountFolders,
  ...['/usr/bin', '/usr/lib', '/usr/local', '/usr/sbin', '/usr/share'],
]);

function fatal(words: readonly Word[], folders: Folders, verb: string): Found | undefined {
  for (const word of words) {
    const path = wordPath(word, folders);
    if (path === undefined) continue;
    const why = fatalPath(path, folders);
    if (why) return {name: 'delete-root', why: `${verb} of ${why}`};
  }
  return undefined;
}

function fatalPath(path: string, {home, workspace}: Folders): string | undefined {
  // `dir/*`, `dir/.*` and `dir/{*,.*}` name everything in dir.
  const all = /\/(\*|\.\*|\.\[!\.\]\*|\.\?\?\*|\*\*|\*\*\/\*)$/.exec(path);
  const folder = all ? path.slice(0, all.index) || '/' : path;
  if (/[*?[]/.test(folder)) return undefined;
  if (folder === '/') return 'the whole system';
  if (folder === absolutePath(home, '/')) return 'the home folder';
  if (foldersToKeep.has(folder)) return `the system folder ${folder}`;
  // A command may remove the workspace's own content (`rm -rf *`), but never one of its parent folders.
  const root = absolutePath(workspace, '/');
  return folder !== root && isWithin(root, folder) ? `a parent of the workspace, ${folder}` : undefined;
}

const disk =
  /^\/dev\/(?:[shvx]v?d[a-z]+\d*|nvme\d+(?:n\d+)?(?:p\d+)?|mmcblk\d+(?:p\d+)?|r?disk\d+(?:s\d+)*|md\d+|dm-\d+|mapper\/.+|loop\d+|sr\d+|zd\d+|(?:mem|kmem|port)|disk\/.+|root)$/;

function isDisk(path: string): boolean {
  return disk.test(absolutePath(path, '/'));
}

function deviceWrite({redirections}: Segment): Found | undefined {
  const onto = redirections.find(({writes, target}) => writes && target && isDisk(target.text));
  return onto && {name: 'disk-write', why: `a redirection writes onto ${onto.target!.text}`};
}

function onDevice({argv}: Segment, name: string, reads?: RegExp): Found | undefined {
  if (reads && argv.some(({text}) => reads.test(text))) return undefined;
  const device = argv.slice(1).find(({text}) => isDisk(text));
  return device && {name: 'disk-write', why: `${name} writes onto ${device.text}`};
}

function onTarget({argv}: Segment, name: string): Found | undefined {
  const target = argv.at(-1);
  return argv.length > 2 && target && isDisk(target.text)
    ? {name: 'disk-write', why: `${name} writes onto ${target.text}`}
    : undefined;
}

/** The analysis reached a bound. The unread part may destroy something, so the command does not run. */
function unreadable({problems, text, segments}: Analysis): Guardrail | undefined {
  const limit = problems.find((problem) => problem.limit);
  if (!limit) return undefined;
  const {span} = limit;
  const none: Segment = {
    argv: [],
    assignments: [],
    redirections: [],
    reach: [],
    wrappers: [],
    span,
    raw: text.slice(0, 80),
  };
  return {
    name: 'unreadable',
    why: `a command that ion cannot check: ${limit.message}`,
    help: 'put it into a file and run: bash <file>',
    segment: segments[0] ?? none,
    span,
  };
}

/** `:(){ :|:& };:`: a function that starts itself twice. */
function forkBomb({text, segments}: Analysis): Guardrail | undefined {
  const calls = new Map<string, number>();
  for (const {argv, reach} of segments) {
    const name = argv[0]?.text;
    if (name && reach.includes('function')) calls.set(name, (calls.get(name) ?? 0) + 1);
  }
  for (const segment of segments) {
    const name = segment.argv[0]?.text;
    if (!name || !segment.reach.includes('function') || !isConcurrent(segment)) continue;
    if (calls.get(name)! > 1 && defines(text, name)) {
      return {
        name: 'fork-bomb',
        why: 'a function that starts two copies of itself without end',
        segment,
        span: segment.span,
      };
    }
  }
  return undefined;
}

const isConcurrent = ({reach}: Segment): boolean =>
  reach.includes('pipeline') || reach.includes('background');

function defines(text: string, name: string): boolean {
  const literal = name.replace(/\W/g, '\\$&');
  return new RegExp(`(?:^|[\\s;&|({])${literal}\\s*\\(\\s*\\)|function\\s+${literal}(?!\\w)`).test(text);
}
