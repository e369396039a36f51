import {protections, type ProtectionId} from '../sandbox/matrix/matrix.ts';
import type {Attack} from './attack.ts';
import {onAutorun} from './attacks-on-autorun.ts';
import {onFiles} from './attacks-on-files.ts';
import {onGit} from './attacks-on-git.ts';
import {onNetwork} from './attacks-on-network.ts';
import {onProcesses} from './attacks-on-processes.ts';
import {onPrograms} from './attacks-on-programs.ts';
import {onReports} from './attacks-on-reports.ts';
import {onStreams} from './attacks-on-streams.ts';

const tables: readonly Partial<Record<ProtectionId, readonly Attack[]>>[] = [
  onFiles,
  onAutorun,
  onGit,
  onPrograms,
  onProcesses,
  onNetwork,
  onReports,
  onStreams,
];

/** The attacks that the doctor tries on each protection. */
export const attacks = Object.fromEntries(
  protections.map(({id}) => [id, tables.flatMap((table) => table[id] ?? [])]),
) as unknown as Readonly<Record<ProtectionId, readonly Attack[]>>;
