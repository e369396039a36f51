import {userInfo} from 'node:os';
import {findHomes, frontHomes, type MachinePaths} from '../config/read/own-home.ts';
import {attempt} from '../system/attempt.ts';
import type {Host} from './host.ts';

/** Returns paths that no environment variable can change. */
export function machinePaths(): MachinePaths {
  // A user without a passwd entry (as in a container with an arbitrary uid) has only HOME.
  return {machineConfig: '/etc/ion/config.toml', passwdHome: attempt(() => userInfo().homedir)};
}

interface HereInput extends Pick<Host, 'packageRoot' | 'cwd' | 'environment' | 'warn'> {
  readonly places: MachinePaths;
  /** Started by ion-sh or ion-exec: HOME does not choose ion's own files. */
  readonly front?: boolean;
}

/** Describes the process that ion runs in. */
export function hostHere({packageRoot, places, cwd, environment, warn, front}: HereInput): Host {
  const named = environment['HOME'];
  const {own, all, refused} = front ? frontHomes(places, named) : findHomes({...places, named, cwd});
  return {
    packageRoot,
    cwd,
    home: own,
    otherHomes: all.filter((home) => home !== own),
    homeRefused: refused,
    machineConfig: places.machineConfig,
    environment,
    uid: process.getuid?.() ?? -1,
    node: process.execPath,
    ...(warn ? {warn} : {}),
  };
}
