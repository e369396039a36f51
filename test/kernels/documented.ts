import type {Features} from '../../src/sandbox/matrix/features.ts';
import {linuxFeatures} from '../harness/features.ts';

/** A kernel of kernels.mjs as the documents describe it. `npm run kernels` fails if its doctor reports anything else. */
export interface Documented {
  readonly id: string;
  readonly features: Features;
}

/** As a user sees them. Root sees the same. */
export const documented: readonly Documented[] = [
  {id: '5.10', features: {...linuxFeatures, landlock: 0, listener: false}},
  {id: '6.1', features: {...linuxFeatures, landlock: 2}},
  {id: '6.12', features: {...linuxFeatures, landlock: 6}},
  {id: 'newest', features: {...linuxFeatures, landlock: 11}},
];
