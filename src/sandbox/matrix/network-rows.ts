import {
  landlock,
  loopbackSupervisor,
  notOnMacs,
  seatbelt,
  seatbeltPartly,
  relayed,
  seccomp,
  type Row,
} from './ways.ts';

/** Everything other than files that a run reaches: networks, sockets, System V and POSIX IPC. */
export const networkRows = [
  {
    id: 'network',
    ways: [{needs: {namespaces: true}, level: 'enforced', by: 'network namespace'}, seccomp, seatbelt],
  },
  {
    id: 'loopback',
    ways: [
      {needs: {namespaces: true}, level: 'enforced', by: 'network namespace'},
      loopbackSupervisor,
      seatbelt,
    ],
  },
  {
    id: 'loopback-own',
    ways: [{needs: {namespaces: true}, level: 'enforced', by: 'network namespace'}, loopbackSupervisor],
  },
  {
    id: 'loopback-unshared',
    ways: [{needs: {namespaces: true}, level: 'enforced', by: 'network namespace'}],
  },
  {
    id: 'network-names',
    ways: [relayed('network namespace, routes and a relay')],
  },
  {
    id: 'network-server-names',
    ways: [relayed('relay (not what a server forwards by itself inside TLS)')],
  },
  {
    id: 'network-local',
    ways: [relayed('network namespace, relay')],
  },
  {
    id: 'unix-sockets',
    ways: [
      landlock(9),
      {
        needs: {listener: true, pidfdGetfd: true},
        level: 'best effort',
        by: 'seccomp supervisor (connects stream sockets on behalf of the run; a datagram can race)',
      },
      {
        needs: {listener: true},
        level: 'best effort',
        by: 'seccomp supervisor (no connections, because there is no pidfd_getfd; a datagram can race)',
      },
      {
        needs: {seccomp: true, noListener: true},
        level: 'best effort',
        by: 'seccomp (the run can create no unix sockets, only pairs)',
      },
      seatbeltPartly(
        'seatbelt (except sockets in the workspace or a private temp folder, or moved there with their folder)',
      ),
    ],
  },
  {
    id: 'abstract-sockets',
    ways: [
      landlock(6),
      {needs: {namespaces: true}, level: 'enforced', by: 'network namespace (not with network = "full")'},
      notOnMacs('macOS has none'),
    ],
  },
  {
    id: 'other-sockets',
    ways: [seccomp, seatbelt],
  },
  {
    id: 'ipc',
    ways: [
      {needs: {namespaces: true}, level: 'enforced', by: 'IPC namespace, private /dev/shm'},
      seatbeltPartly('seatbelt (named POSIX semaphores stay reachable)'),
    ],
  },
] as const satisfies readonly Row[];
