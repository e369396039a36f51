/** The features of a machine, found by probing. */
export interface Features {
  /** Landlock ABI; 0 = none. */
  readonly landlock: number;
  readonly seccomp: boolean;
  /** Mount, network and IPC namespaces: as real root, in a user namespace, or unavailable. */
  readonly namespaces: 'none' | 'root' | 'user';
  /** With namespaces: one for processes, with a /proc of its own. */
  readonly pidNamespace: boolean;
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
  pidNamespace: false,
  listener: false,
  pidfdGetfd: false,
};

/** Without Landlock, but with mount namespaces, a run has its own file system that contains only the roots. */
export function hasView({landlock, namespaces}: Features): boolean {
  return landlock === 0 && namespaces !== 'none';
}

/** The features that a run on a machine uses: it may ask for fewer reports, or for the processes of the machine. */
export function featuresOfRun(
  features: Features,
  {report, processes}: {report: 'minimal' | 'denials' | 'all'; processes: 'own' | 'shared'},
): Features {
  return {
    ...features,
    pidNamespace: features.pidNamespace && processes === 'own',
    ...(report === 'minimal' ? {unheardWrites: true} : {}),
  };
}
