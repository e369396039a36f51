import type {Features} from '../../src/sandbox/matrix/features.ts';

/** A Linux of today as a user has it: with Landlock, namespaces of the user's own, and all that the supervisor needs. */
export const linuxFeatures: Features = {
  landlock: 7,
  seccomp: true,
  namespaces: 'user',
  listener: true,
  pidfdGetfd: true,
  launcher: true,
};
