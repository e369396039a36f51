import {accessSync, constants, existsSync} from 'node:fs';
import path from 'node:path';
import type {Features} from '../matrix/features.ts';

export interface Appended {
  readonly sequence: number;
  readonly hash: string;
}

/** The native append (native/addon/audit.h), or the one in append.ts where there is no addon. Same format. */
export type AppendFunction = (
  folder: string,
  events: readonly string[],
  maxFileBytes: number,
  sync: boolean,
) => Appended;

/** The addon's functions; see native/addon/addon.cc for their errors. */
export interface Addon {
  probe(): {
    landlockAbi: number;
    landlockErrata: number;
    seccomp: boolean;
    listener: boolean;
    pidfdGetfd: boolean;
    ownerlessEtc: boolean;
    namespaces: Features['namespaces'];
    pidNamespace: boolean;
  };
  createRuleset(spec: RulesetSpec): {fd: number; skipped: string[]};
  exist(paths: readonly string[]): boolean[];
  memoryFile(bytes: Buffer): number;
  spawn(file: string, argv: readonly string[], descriptors: readonly number[]): number;
  sendDescriptors(socket: number, descriptors: readonly number[]): void;
  lockFolder(folder: string): number;
  removeFolder(folder: string): boolean;
  reap(pid: number, limitMs: number): number;
  reapEnded(pid: number): boolean;
  channel(): [ours: number, theirs: number];
  halfClose(socket: number): void;
  follow(socket: number, onPiece: (bytes: Buffer | undefined) => void, inLargePieces?: boolean): void;
  searchClosed(folder: string, apart: readonly string[]): void;
  closedToOthers(folder: string, apart: readonly string[]): string[];
  pipe(): [reads: number, writes: number];
  becomeSubreaper(): void;
  parentOpenFiles(): number;
  auditAppend: AppendFunction;
}

export interface RulesetSpec {
  readonly handledFs: number;
  readonly handledNet: number;
  readonly scoped: number;
  readonly rules: readonly {
    readonly path: string;
    readonly access: number;
    readonly optional: boolean;
    readonly canonical: boolean;
  }[];
}

export interface Native {
  readonly addon: Addon;
  readonly launcher: string;
}

/** The reason why the native part is missing. ion shows it to the user when it falls back. */
export interface NativeMissing {
  readonly missing: string;
}

/**
 * Load the native part: what was built on this machine, else the prebuild. These are the two places that npm's install step
 * (native/install.mjs) has checked with node-gyp-build; a run opens them without that search, which takes a millisecond.
 */
export function loadNative(packageRoot: string): Native | NativeMissing {
  if (process.platform !== 'linux') return {missing: `no native part on ${process.platform}`};
  const folders = [
    path.join(packageRoot, 'native/build/Release'),
    path.join(packageRoot, 'prebuilds', `linux-${process.arch}`),
  ];
  const reasons: string[] = [];
  for (const folder of folders) {
    const file = path.join(folder, 'ion.node');
    if (!existsSync(file)) continue;
    try {
      const launcher = path.join(folder, 'ion-launcher');
      accessSync(launcher, constants.X_OK);
      const loaded = {exports: {} as Addon};
      process.dlopen(loaded, file);
      return {addon: loaded.exports, launcher};
    } catch (error) {
      reasons.push(error instanceof Error ? error.message : String(error));
    }
  }
  return {missing: reasons[0] ?? 'the native part is not built'};
}
