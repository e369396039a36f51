import {launcher, type Row} from './ways.ts';

/** The process tree of the run as a whole. */
export const treeRows = [
  {
    id: 'identity',
    ways: [launcher('launcher')],
  },
  {
    id: 'tree',
    ways: [
      {
        needs: {launcher: true, pidNamespace: true},
        level: 'enforced',
        by: 'PID namespace (also if ion and its launcher are killed at once)',
      },
      launcher('launcher (subreaper)'),
      {needs: {}, level: 'best effort', by: 'process group and parent chain'},
    ],
  },
] as const satisfies readonly Row[];
