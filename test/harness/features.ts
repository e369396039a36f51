import type {Features} from '../../src/sandbox/matrix/features.ts';

/** A current Linux as a user has it: Landlock, user namespaces, and everything the supervisor needs. */
export const linuxFeatures: Features = {
  landlock: 7,
  seccomp: true,
  namespaces: 'user',
  pidNamespace: true,
  listener: true,
  pidfdGetfd: true,
  launcher: true,
};
