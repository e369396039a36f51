import type {ProtectionId} from '../sandbox/matrix/matrix.ts';
import type {Attack} from './attack.ts';
import {onAutorun} from './attacks-on-autorun.ts';
import {onFiles} from './attacks-on-files.ts';
import {onNetwork} from './attacks-on-network.ts';
import {onProcesses} from './attacks-on-processes.ts';
import {onPrograms} from './attacks-on-programs.ts';
import {onStreams} from './attacks-on-streams.ts';

/** The attacks that the doctor tries on each protection. */
export const attacks: Readonly<Record<ProtectionId, readonly Attack[]>> = {
  ...onFiles,
  ...onAutorun,
  ...onPrograms,
  ...onProcesses,
  ...onNetwork,
  ...onStreams,
};
