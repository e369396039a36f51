import type {Features} from '../../src/sandbox/matrix/features.ts';
import {linuxFeatures} from '../harness/features.ts';

/** A kernel of kernels.mjs as the documents describe it. `npm run kernels` fails if its doctor reports anything else. */
export interface Documented {
  readonly id: string;
  /** The features that each user sees. */
  readonly features: Readonly<Record<'root' | 'user', Features>>;
}

/** Available from Linux 5.12 on. */
const asRoot = {namespaces: 'root', root: true, ownerlessEtc: true} as const;
const old: Features = {...linuxFeatures, landlock: 0, listener: false};

export const documented: readonly Documented[] = [
  {id: '5.10', features: {user: old, root: {...old, namespaces: 'root', root: true}}},
  ...[
    {id: '6.1', landlock: 2},
    {id: '6.12', landlock: 6},
    {id: 'newest', landlock: 11},
  ].map(({id, landlock}) => {
    const features = {...linuxFeatures, landlock};
    return {id, features: {user: features, root: {...features, ...asRoot}}};
  }),
];
