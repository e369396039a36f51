import {
  landlock,
  launcher,
  notOnMacs,
  pidNamespace,
  seatbelt,
  seatbeltPartly,
  seccomp,
  view,
  type Row,
} from './ways.ts';

/** Other processes, terminals, the kernel, and the privileges of the run. */
export const isolationRows = [
  {
    id: 'signals',
    ways: [
      landlock(6),
      {
        needs: {pidNamespace: true, listener: true},
        level: 'best effort',
        by: 'PID namespace, seccomp supervisor (SIGIO of a terminal can pass)',
      },
      {
        needs: {listener: true},
        level: 'best effort',
        by: 'seccomp supervisor (a process id that is reused at that moment can pass)',
      },
      {needs: {seccomp: true}, level: 'best effort', by: 'seccomp (protects only ion and the launcher)'},
      seatbelt,
    ],
  },
  {
    id: 'scheduling',
    ways: [
      {
        needs: {pidNamespace: true, seccomp: true},
        level: 'enforced',
        by: 'PID namespace, seccomp (groups and users of processes)',
      },
      {
        needs: {listener: true},
        level: 'best effort',
        by: 'seccomp supervisor (a process id that is reused at that moment can pass)',
      },
      {needs: {seccomp: true}, level: 'best effort', by: 'seccomp (protects only ion and the launcher)'},
    ],
  },
  {
    id: 'processes',
    ways: [landlock(1), pidNamespace, view('user namespace'), seatbelt],
  },
  {
    id: 'process-limits',
    ways: [seccomp, notOnMacs('macOS has no such call')],
  },
  {
    id: 'terminals',
    ways: [{needs: {namespaces: true}, level: 'enforced', by: 'private devpts instance'}],
  },
  {id: 'terminal', ways: [seccomp]},
  {
    id: 'set-id',
    ways: [seccomp, seatbelt],
  },
  {
    id: 'kernel',
    ways: [seccomp, seatbelt],
  },
  {
    id: 'privileges',
    ways: [
      launcher('no_new_privs, dropped capabilities'),
      seatbeltPartly('seatbelt (no set-id program starts; root keeps all privileges)'),
    ],
  },
  {
    id: 'descriptors',
    ways: [
      launcher('launcher'),
      seatbeltPartly('Node (closes its own descriptors, not those that ion inherited)'),
    ],
  },
] as const satisfies readonly Row[];
