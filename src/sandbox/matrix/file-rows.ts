import {
  landlock,
  mounts,
  noexecMounts,
  onlyRoots,
  seatbelt,
  supervisor,
  view,
  writeSupervisor,
  type Row,
} from './ways.ts';

/** Files in general: which are opened, executed and changed. */
export const fileRows = [
  {
    id: 'writes',
    ways: [
      {needs: {landlock: 1, namespaces: true}, level: 'enforced', by: 'Landlock (ABI 1), read-only mounts'},
      landlock(1),
      view('mounts (only the roots are there, and only the write roots are writable)'),
      seatbelt,
    ],
  },
  {
    id: 'truncate',
    ways: [landlock(3), mounts, seatbelt],
  },
  {
    id: 'mounted-later',
    ways: [
      {...mounts, by: 'private mounts (later mounts do not appear in the run)'},
      {...writeSupervisor, by: 'seccomp supervisor (a racing thread can change modes, owners and times)'},
      seatbelt,
    ],
  },
  {
    id: 'reads',
    ways: [landlock(1), onlyRoots, seatbelt],
  },
  {
    id: 'exec',
    ways: [landlock(1), onlyRoots, seatbelt],
  },
  {
    id: 'read-exec',
    ways: [
      {needs: {landlock: 1, namespaces: true}, level: 'enforced', by: 'Landlock (ABI 1), noexec mounts'},
      landlock(1),
      noexecMounts,
      seatbelt,
    ],
  },
  {
    id: 'read-mapped',
    ways: [
      noexecMounts,
      {
        ...supervisor,
        by: 'seccomp supervisor (refuses the loader and its variables; a program that maps a file by itself passes)',
      },
      seatbelt,
    ],
  },
  {
    id: 'read-programs',
    ways: [{...supervisor, by: 'seccomp supervisor (a static program without a libc is checked only once)'}],
  },
  {
    id: 'hooks-outside',
    ways: [
      {needs: {}, level: 'best effort', by: "a check of the hook's text (not of what its programs start)"},
    ],
  },
  {
    id: 'devices',
    ways: [
      landlock(5),
      {...landlock(1), level: 'best effort', by: 'Landlock (ABI 1: opening, not ioctl)'},
      {...view('mounts (opening, because no other device is present; not ioctl)'), level: 'best effort'},
      seatbelt,
    ],
  },
  {
    id: 'metadata',
    ways: [mounts, writeSupervisor, seatbelt],
  },
] as const satisfies readonly Row[];
