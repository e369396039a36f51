/** The operations that this evaluator knows. A name with a star stands for all operations with that prefix. */
export const operations = [
  'appleevent-send',
  'file-chroot',
  'file-ioctl',
  'file-link',
  'file-map-executable',
  'file-mount',
  'file-read-data',
  'file-read-metadata',
  'file-read-xattr',
  'file-test-existence',
  'file-write-acl',
  'file-write-create',
  'file-write-data',
  'file-write-flags',
  'file-write-mode',
  'file-write-owner',
  'file-write-setugid',
  'file-write-times',
  'file-write-unlink',
  'file-write-xattr',
  'iokit-open',
  'ipc-posix-sem',
  'ipc-posix-shm-read-data',
  'ipc-posix-shm-write-create',
  'ipc-posix-shm-write-data',
  'ipc-posix-shm-write-unlink',
  'ipc-sysv-shm',
  'lsopen',
  'mach-lookup',
  'mach-priv-task-port',
  'mach-register',
  'network-bind',
  'network-inbound',
  'network-outbound',
  'process-exec',
  'process-fork',
  'process-info-pidinfo',
  'pseudo-tty',
  'signal',
  'sysctl-read',
  'sysctl-write',
  'system-socket',
  'user-preference-read',
  'user-preference-write',
] as const;

export type Operation = (typeof operations)[number];

/** The operations that a name in a rule stands for. Throws for an unknown name. */
export function operationsOf(name: string): readonly Operation[] {
  if (name === 'default') return operations;
  const found = name.endsWith('*')
    ? operations.filter((operation) => operation.startsWith(name.slice(0, -1)))
    : operations.filter((operation) => operation === name);
  if (found.length === 0) throw new Error(`SBPL: unknown operation ${name}`);
  return found;
}
