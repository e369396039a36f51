import {landlock, pidNamespace, seatbelt, type Row} from './ways.ts';

/** Contents of readable folders that a run must not see. */
export const hiddenRows = [
  {
    id: 'private-temp',
    ways: [landlock(1), seatbelt],
  },
  {
    id: 'etc',
    ways: [landlock(1)],
  },
  {
    id: 'etc-later',
    ways: [
      {
        needs: {landlock: 1, ownerlessEtc: true},
        level: 'enforced',
        by: 'an idmapped mount of /etc (root has the rights of any other user there)',
      },
      {needs: {launcher: true, notRoot: true}, level: 'enforced', by: 'file modes (the run is not root)'},
      {...landlock(1), level: 'best effort', by: 'Landlock (ABI 1: only in folders that held a closed file)'},
    ],
  },
  {
    id: 'hidden-processes',
    ways: [pidNamespace],
  },
  {
    id: 'names',
    // A view (hasView) hides more of them, but no claim relies on that.
    ways: [],
  },
] as const satisfies readonly Row[];
