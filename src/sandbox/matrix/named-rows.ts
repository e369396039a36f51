import {mounts, seatbelt, seatbeltPartly, supervisor, textOnly, writeSupervisor, type Row} from './ways.ts';

/** Files and commands that ion or the user names: auto-run files, denied paths, denied commands; and the reports about them. */
export const namedRows = [
  {
    id: 'autorun',
    ways: [
      {
        ...mounts,
        needs: {namespaces: true, listener: true, heardWrites: true},
        by: 'read-only mounts (the supervisor protects files that another process replaces during the run)',
      },
      {...mounts, by: 'read-only mounts (not on files that another process replaces during the run)'},
      writeSupervisor,
      seatbelt,
    ],
  },
  {
    id: 'git-config',
    ways: [
      {
        needs: {namespaces: true, listener: true, heardWrites: true},
        level: 'enforced',
        by: 'a private copy of the file, compared after the run',
      },
      {
        ...writeSupervisor,
        by: 'a comparison after the run, for a file that the supervisor saw the run reach for',
      },
    ],
  },
  {
    id: 'autorun-new',
    ways: [writeSupervisor, seatbelt],
  },
  {
    id: 'autorun-nested',
    ways: [writeSupervisor],
  },
  {
    id: 'denied-exec',
    ways: [supervisor, {needs: {}, level: 'not', by: textOnly}],
  },
  {
    id: 'reported',
    ways: [writeSupervisor, seatbeltPartly('tagged messages in the system log')],
  },
  {
    id: 'metadata-handed',
    // The descriptor keeps the mount that it was opened on.
    ways: [writeSupervisor, seatbelt],
  },
  {
    id: 'denied-paths',
    ways: [
      {
        ...mounts,
        needs: {namespaces: true, listener: true},
        by: 'mounts over them (the supervisor checks files that another process puts in their place during the run)',
      },
      {
        ...mounts,
        by: 'mounts over them (not over files that another process puts in their place during the run)',
      },
      supervisor,
      seatbelt,
    ],
  },
  {
    id: 'denied-paths-new',
    ways: [
      supervisor,
      seatbeltPartly('seatbelt (a moved folder can take files along that a wildcard matched)'),
    ],
  },
] as const satisfies readonly Row[];
