import type {ProtectionId} from '../../src/sandbox/matrix/matrix.ts';
import type {Enforcement} from '../../src/sandbox/matrix/ways.ts';
import type {Verdict} from '../conformance/judge.ts';

/** Attacks by other spellings, and everyday work, in a workspace on another file system. */
export interface SeenFileSystem {
  readonly name: string;
  readonly setting: string;
  readonly tried: number;
  /** What did not work outside, what got through inside, and work with another result than outside. */
  readonly problems: readonly string[];
}

/** A guest's results for one user. */
export interface SeenColumn {
  readonly as: 'root' | 'user';
  readonly doctor?:
    | {
        readonly code: number | null;
        readonly stderr: string;
        readonly protections?: readonly {
          readonly id: ProtectionId;
          readonly level: Enforcement;
          readonly by: string;
          readonly tried: string;
          readonly why: string | null;
        }[];
      }
    | undefined;
  /** Everyday work with another result than outside. */
  readonly failed: readonly string[];
  readonly fileSystems?: readonly SeenFileSystem[] | undefined;
  readonly results?: readonly {
    readonly protection: ProtectionId;
    readonly name: string;
    readonly verdict: Verdict;
    readonly level: Enforcement | 'refused';
    readonly by: string;
    readonly detail: string;
    /** The attack was tried outside on this kernel too. */
    readonly isProven: boolean;
    readonly ms: number;
  }[];
  readonly failedControls?: readonly string[];
  /** How many attacks the whole table has for this user. */
  readonly attacks?: number;
  /** Seconds since the guest's program started. */
  readonly tookS?: number;
}

export interface GuestReport {
  readonly release: string;
  readonly processors: number;
  readonly columns: readonly SeenColumn[];
}
