import type {Request} from './filters.ts';

/** The actions of a program, and the seatbelt operations that the kernel checks for each. All of them must be allowed. */
export type Action =
  | {
      readonly do: 'read' | 'list' | 'write' | 'create' | 'mkdir' | 'remove' | 'truncate' | 'exec' | 'map';
      readonly path: string;
    }
  | {
      readonly do: 'chmod' | 'chown' | 'utimes' | 'setxattr' | 'set-user-id' | 'mknod' | 'stat';
      readonly path: string;
    }
  | {
      readonly do: 'rename' | 'link';
      readonly path: string;
      readonly to: string;
      readonly replaces?: boolean;
      readonly vnodeType?: NonNullable<Request['vnodeType']>;
    }
  | {readonly do: 'symlink'; readonly path: string}
  | {readonly do: 'connect' | 'bind'; readonly ip: string; readonly port: number}
  | {readonly do: 'accept'; readonly port: number}
  | {readonly do: 'connect-unix' | 'bind-unix'; readonly path: string}
  | {readonly do: 'look-up'; readonly service: string}
  | {readonly do: 'signal'; readonly target: 'self' | 'same-sandbox' | 'others'}
  | {readonly do: 'fork' | 'open-app' | 'apple-event' | 'new-pty'}
  | {readonly do: 'socket'; readonly domain: string}
  | {readonly do: 'set-sysctl' | 'shared-memory'; readonly name: string}
  | {readonly do: 'mount' | 'chroot'; readonly path: string}
  /** Inspect a process outside: its arguments, files, memory map. Its task port gives access to its memory. */
  | {readonly do: 'inspect' | 'task-port' | 'control-terminal'};

const typeOf = ({vnodeType}: Pick<Request, 'vnodeType'>): Pick<Request, 'vnodeType'> =>
  vnodeType === undefined ? {} : {vnodeType};

export function requestsOf(action: Action): Request[] {
  switch (action.do) {
    case 'read':
    case 'list':
      return [{operation: 'file-read-data', path: action.path}];
    case 'stat':
      return [{operation: 'file-read-metadata', path: action.path}];
    case 'write':
    case 'truncate':
      return [{operation: 'file-write-data', path: action.path}];
    case 'create':
      return [
        {operation: 'file-write-create', path: action.path, vnodeType: 'REGULAR-FILE'},
        {operation: 'file-write-data', path: action.path, vnodeType: 'REGULAR-FILE'},
      ];
    case 'mkdir':
      return [{operation: 'file-write-create', path: action.path, vnodeType: 'DIRECTORY'}];
    case 'symlink':
      return [{operation: 'file-write-create', path: action.path, vnodeType: 'SYMLINK'}];
    case 'mknod':
      return [{operation: 'file-write-create', path: action.path, vnodeType: 'CHARACTER-DEVICE'}];
    case 'remove':
      return [{operation: 'file-write-unlink', path: action.path}];
    case 'exec':
      return [
        {operation: 'process-exec', path: action.path},
        {operation: 'file-read-data', path: action.path},
      ];
    case 'map':
      return [{operation: 'file-map-executable', path: action.path}];
    case 'chmod':
      return [{operation: 'file-write-mode', path: action.path}];
    case 'set-user-id':
      return [
        {operation: 'file-write-mode', path: action.path},
        {operation: 'file-write-setugid', path: action.path},
      ];
    case 'chown':
      return [{operation: 'file-write-owner', path: action.path}];
    case 'utimes':
      return [{operation: 'file-write-times', path: action.path}];
    case 'setxattr':
      return [{operation: 'file-write-xattr', path: action.path}];
    case 'rename':
      return [
        {operation: 'file-write-unlink', path: action.path, ...typeOf(action)},
        {operation: 'file-write-create', path: action.to, ...typeOf(action)},
        ...(action.replaces ? [{operation: 'file-write-unlink', path: action.to} as const] : []),
      ];
    case 'link':
      // Measured: the source must be writable. The new name is created like any other file.
      return [
        {operation: 'file-link', path: action.path, ...typeOf(action)},
        {operation: 'file-write-create', path: action.to, ...typeOf(action)},
      ];
    case 'connect':
      return [{operation: 'network-outbound', remote: {ip: action.ip, port: action.port}}];
    case 'bind':
      return [{operation: 'network-bind', local: {ip: action.ip, port: action.port}}];
    case 'accept':
      return [{operation: 'network-inbound', local: {ip: '127.0.0.1', port: action.port}}];
    case 'connect-unix':
      return [{operation: 'network-outbound', remote: {unix: action.path}}];
    case 'bind-unix':
      return [
        {operation: 'network-bind', local: {unix: action.path}},
        {operation: 'file-write-create', path: action.path},
      ];
    case 'look-up':
      return [{operation: 'mach-lookup', name: action.service}];
    case 'signal':
      return [{operation: 'signal', target: action.target}];
    case 'fork':
      return [{operation: 'process-fork'}];
    case 'open-app':
      return [{operation: 'lsopen'}];
    case 'apple-event':
      return [{operation: 'appleevent-send'}];
    case 'new-pty':
      return [
        {operation: 'pseudo-tty'},
        {operation: 'file-read-data', path: '/dev/ptmx'},
        {operation: 'file-write-data', path: '/dev/ptmx'},
        {operation: 'file-write-data', path: '/dev/ttys007', extensions: ['com.apple.sandbox.pty']},
      ];
    case 'set-sysctl':
      return [{operation: 'sysctl-write', name: action.name}];
    case 'shared-memory':
      return [{operation: 'ipc-sysv-shm', name: action.name}];
    case 'mount':
      return [{operation: 'file-mount', path: action.path}];
    case 'chroot':
      return [{operation: 'file-chroot', path: action.path}];
    case 'inspect':
      return [{operation: 'process-info-pidinfo', target: 'others'}];
    case 'task-port':
      return [{operation: 'mach-priv-task-port', target: 'others'}];
    case 'control-terminal':
      return [{operation: 'file-ioctl', path: '/dev/ttys007'}];
    case 'socket':
      return [{operation: 'system-socket', socketDomain: action.domain}];
  }
}
