import {launcher, supervisor, type Row} from './ways.ts';

/** Streams that were open before the run, and were given to it. */
export const streamRows = [
  {
    id: 'streams',
    ways: [
      {
        needs: {launcher: true, listener: true},
        level: 'best effort',
        by: 'a sealed copy for a removed file (a here-document), the seccomp supervisor for a pipe (a racing thread can pass)',
      },
    ],
  },
  {
    id: 'streams-written',
    ways: [launcher('a separate pipe for the run, which the launcher forwards')],
  },
  {
    id: 'streams-appended',
    ways: [
      {
        needs: {landlock: 1, listener: true, pidfdGetfd: true},
        level: 'enforced',
        by: 'seccomp, seccomp supervisor (open, ftruncate and flags on behalf of the run), Landlock (ABI 1)',
      },
      {...supervisor, needs: {landlock: 1, listener: true}},
      {...supervisor, needs: {view: true, listener: true}},
    ],
  },
  {
    id: 'streams-sockets',
    ways: [
      {
        needs: {launcher: true, listener: true},
        level: 'enforced',
        by: 'launcher (internet sockets: connections and listeners only), seccomp supervisor on behalf of the run',
      },
      launcher('launcher (no internet sockets)'),
    ],
  },
] as const satisfies readonly Row[];
