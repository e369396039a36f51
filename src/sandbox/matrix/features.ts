/** The features of a machine, found by probing. */
export interface Features {
  /** Landlock ABI; 0 = none. */
  readonly landlock: number;
  readonly seccomp: boolean;
  /** Mount, network and IPC namespaces: as real root, in a user namespace, or unavailable. */
  readonly namespaces: 'none' | 'root' | 'user';
  /** A seccomp listener, which a supervisor needs. */
  readonly listener: boolean;
  readonly pidfdGetfd: boolean;
  /** ion runs as root. */
  readonly root?: true;
  /** /etc can be mounted so that root has no more rights there than other users: an idmapped mount. */
  readonly ownerlessEtc?: true;
  /** The run asked for `report = "minimal"`: the supervisor is not notified of writes. */
  readonly unheardWrites?: true;
  /** The launcher, which starts, supervises and kills a command on Linux. */
  readonly launcher?: true;
  /** macOS's sandbox. */
  readonly seatbelt?: true;
}

export const noFeatures: Features = {
  landlock: 0,
  seccomp: false,
  namespaces: 'none',
  listener: false,
  pidfdGetfd: false,
};

/** Without Landlock, but with mount namespaces, a run has its own file system that contains only the roots. */
export function hasView({landlock, namespaces}: Features): boolean {
  return landlock === 0 && namespaces !== 'none';
}

/** The features of a run on a machine, given how much the run asks to be reported. */
export function featuresOfRun(features: Features, report: 'minimal' | 'denials' | 'all'): Features {
  return report === 'minimal' ? {...features, unheardWrites: true} : features;
}
