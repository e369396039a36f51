import type {Features} from '../../src/sandbox/matrix/features.ts';
import {linuxFeatures} from '../harness/features.ts';

/** A kernel of kernels.mjs as the documents describe it. `npm run kernels` fails if its doctor reports anything else. */
export interface Documented {
  readonly id: string;
  /** As each user sees it. */
  readonly features: Readonly<Record<'root' | 'user', Features>>;
}

/** Results that are older than PID namespaces: `npm run kernels -- record` on each shows what they have. */
const recordedBefore = {...linuxFeatures, pidNamespace: false};
/** From Linux 5.12 on. */
const asRoot = {namespaces: 'root', root: true, ownerlessEtc: true} as const;
const old: Features = {...recordedBefore, landlock: 0, listener: false};

export const documented: readonly Documented[] = [
  {id: '5.10', features: {user: old, root: {...old, namespaces: 'root', root: true}}},
  ...[
    {id: '6.1', of: recordedBefore, landlock: 2},
    {id: '6.12', of: linuxFeatures, landlock: 6},
    {id: 'newest', of: recordedBefore, landlock: 11},
  ].map(({id, of, landlock}) => {
    const features = {...of, landlock};
    return {id, features: {user: features, root: {...features, ...asRoot}}};
  }),
];
