import {landlock, seatbelt, type Row} from './ways.ts';

/** What a run must not see although it lies below a readable folder. */
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
    id: 'names',
    // A view (hasView) hides more of them, but no claim relies on that.
    ways: [],
  },
] as const satisfies readonly Row[];
