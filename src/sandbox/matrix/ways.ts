export type Enforcement = 'enforced' | 'best effort' | 'not';

export interface Way {
  /** The features that this way needs; a number is the minimum Landlock ABI. */
  readonly needs: {
    readonly landlock?: number;
    readonly seccomp?: true;
    readonly namespaces?: true;
    /** The run has a PID namespace. */
    readonly pidNamespace?: true;
    /** See hasView. */
    readonly view?: true;
    readonly listener?: true;
    /** A listener that is notified of writes. */
    readonly heardWrites?: true;
    readonly noListener?: true;
    readonly pidfdGetfd?: true;
    readonly launcher?: true;
    readonly notRoot?: true;
    readonly ownerlessEtc?: true;
    readonly seatbelt?: true;
  };
  readonly level: Enforcement;
  readonly by: string;
}

export interface Row {
  readonly id: string;
  /** Strongest first: the first way whose needs are met applies. If none is, the protection is missing. */
  readonly ways: readonly Way[];
}

export const landlock = (abi: number): Way => ({
  needs: {landlock: abi},
  level: 'enforced',
  by: `Landlock (ABI ${abi})`,
});
export const seccomp: Way = {needs: {seccomp: true}, level: 'enforced', by: 'seccomp'};
export const mounts: Way = {needs: {namespaces: true}, level: 'enforced', by: 'read-only mounts'};
export const pidNamespace: Way = {needs: {pidNamespace: true}, level: 'enforced', by: 'PID namespace'};
export const noexecMounts: Way = {needs: {namespaces: true}, level: 'enforced', by: 'noexec mounts'};
export const view = (by: string): Way => ({needs: {view: true}, level: 'enforced', by});
export const onlyRoots = view('mounts (the file system of the run contains only the roots)');
export const supervisor: Way = {
  needs: {listener: true},
  level: 'best effort',
  by: 'seccomp supervisor (a racing thread can pass)',
};
/** For calls that change files: not notified with `report = "minimal"`. */
export const writeSupervisor: Way = {...supervisor, needs: {listener: true, heardWrites: true}};
export const launcher = (by: string): Way => ({needs: {launcher: true}, level: 'enforced', by});
/**
 * For the machine's loopback, which the run shares: only TCP. The supervisor makes each call, and Landlock denies
 * direct calls.
 */
export const loopbackSupervisor: Way = {
  needs: {landlock: 4, listener: true, pidfdGetfd: true},
  level: 'enforced',
  by: 'seccomp supervisor on behalf of the run (TCP only, no datagrams), Landlock (ABI 4)',
};
/** A network table: a process outside of the run's network namespace makes the connections. */
export const relayed = (by: string): Way => ({
  needs: {namespaces: true, launcher: true},
  level: 'enforced',
  by,
});
/** For denied commands where no supervisor sees executions. */
export const textOnly = "the command's text only";
export const seatbelt: Way = {needs: {seatbelt: true}, level: 'enforced', by: 'seatbelt'};
export const seatbeltPartly = (by: string): Way => ({needs: {seatbelt: true}, level: 'best effort', by});
export const notOnMacs = (by: string): Way => ({needs: {seatbelt: true}, level: 'enforced', by});
