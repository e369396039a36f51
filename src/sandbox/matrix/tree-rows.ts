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
      launcher('launcher (subreaper)'),
      {needs: {}, level: 'best effort', by: 'process group and parent chain'},
    ],
  },
] as const satisfies readonly Row[];
