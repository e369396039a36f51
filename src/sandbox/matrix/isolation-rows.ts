import {landlock, launcher, notOnMacs, seatbelt, seatbeltPartly, seccomp, view, type Row} from './ways.ts';

/** Other processes, terminals, the kernel, and the privileges of the run. */
export const isolationRows = [
  {
    id: 'signals',
    ways: [
      landlock(6),
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
        needs: {listener: true},
        level: 'best effort',
        by: 'seccomp supervisor (a process id that is reused at that moment can pass)',
      },
      {needs: {seccomp: true}, level: 'best effort', by: 'seccomp (protects only ion and the launcher)'},
    ],
  },
  {
    id: 'processes',
    ways: [landlock(1), view('user namespace'), seatbelt],
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
