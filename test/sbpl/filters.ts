import {isList, symbolOf, type Expression} from './parse.ts';
import type {Operation} from './operations.ts';

/** A process's request to the kernel. Paths are those of the vnode, with symlinks resolved. */
export interface Request {
  readonly operation: Operation;
  readonly path?: string;
  readonly vnodeType?:
    'REGULAR-FILE' | 'DIRECTORY' | 'SYMLINK' | 'CHARACTER-DEVICE' | 'BLOCK-DEVICE' | 'SOCKET';
  /** Extensions that the process holds for this object. */
  readonly extensions?: readonly string[];
  readonly remote?: Address;
  /** Absent for a socket that is not bound yet. */
  readonly local?: Address;
  /** A mach service, a sysctl, a shared memory object, an IOKit class. */
  readonly name?: string;
  readonly target?: 'self' | 'same-sandbox' | 'others';
  readonly socketDomain?: string;
  readonly socketProtocol?: string;
}

export type Address = {readonly ip: string; readonly port: number} | {readonly unix: string};

export type Filter = (request: Request) => boolean;

export type Parameters = Readonly<Record<string, string>>;

/** The condition that an expression states. Throws for an unknown one, or for a missing parameter. */
export function readFilter(expression: Expression, parameters: Parameters): Filter {
  if (!isList(expression)) throw new Error(`SBPL: a filter is expected, not ${JSON.stringify(expression)}`);
  const [head, ...rest] = expression;
  const name = symbolOf(head);
  const inner = (): Filter[] => rest.map((one) => readFilter(one, parameters));
  switch (name) {
    case 'require-all': {
      const filters = inner();
      return (request) => filters.every((filter) => filter(request));
    }
    case 'require-any': {
      const filters = inner();
      return (request) => filters.some((filter) => filter(request));
    }
    case 'require-not': {
      const [filter, ...more] = inner();
      if (!filter || more.length > 0) throw new Error('SBPL: require-not takes one filter');
      return (request) => !filter(request);
    }
    case 'local':
    case 'remote':
      return endpoint(name, rest, parameters);
    case 'target':
      return target(symbolOf(rest[0]));
    case 'vnode-type':
      return oneSymbol(rest, (request) => request.vnodeType);
    case 'socket-domain':
      return oneSymbol(rest, (request) => request.socketDomain);
    case 'socket-protocol':
      return oneSymbol(rest, (request) => request.socketProtocol);
    default:
      return textFilter(name, rest, parameters);
  }
}

const textFilters: Readonly<Record<string, (text: string) => Filter>> = {
  literal: (text) => (request) => pathOf(request) === text,
  subpath: (text) => (request) => isBelow(pathOf(request), text),
  regex: (text) => {
    const expression = readRegex(text);
    return (request) => expression.test(pathOf(request) ?? '\0');
  },
  extension: (text) => (request) => request.extensions?.includes(text) ?? false,
  'global-name': (text) => (request) => request.name === text,
  'local-name': (text) => (request) => request.name === text,
  'sysctl-name': (text) => (request) => request.name === text,
  'sysctl-name-prefix': (text) => (request) => request.name?.startsWith(text) ?? false,
  'ipc-posix-name': (text) => (request) => request.name === text,
  'ipc-posix-name-prefix': (text) => (request) => request.name?.startsWith(text) ?? false,
  'ipc-posix-name-regex': (text) => (request) => readRegex(text).test(request.name ?? '\0'),
  'iokit-registry-entry-class': (text) => (request) => request.name === text,
};

function textFilter(name: string, rest: readonly Expression[], parameters: Parameters): Filter {
  const make = Object.hasOwn(textFilters, name) ? textFilters[name] : undefined;
  if (!make) throw new Error(`SBPL: unknown filter ${name}`);
  if (rest.length !== 1) throw new Error(`SBPL: ${name} takes one text`);
  return make(readText(rest[0]!, parameters));
}

export function readText(expression: Expression, parameters: Parameters): string {
  if (!isList(expression)) {
    if ('text' in expression) return expression.text;
    throw new Error(`SBPL: a text is expected, not ${expression.symbol}`);
  }
  const [head, ...rest] = expression;
  const name = symbolOf(head);
  if (name === 'string-append') return rest.map((one) => readText(one, parameters)).join('');
  if (name !== 'param' || rest.length !== 1) throw new Error(`SBPL: unknown text ${name}`);
  const key = readText(rest[0]!, {});
  const value = parameters[key];
  if (value === undefined) throw new Error(`SBPL: parameter ${key} is not given`);
  return value;
}

/** For a socket, a path filter refers to the path of a unix socket. */
function pathOf({path, remote, local}: Request): string | undefined {
  if (path !== undefined) return path;
  if (remote && 'unix' in remote) return remote.unix;
  return local && 'unix' in local ? local.unix : undefined;
}

function isBelow(path: string | undefined, folder: string): boolean {
  if (path === undefined) return false;
  if (folder.endsWith('/') || !folder.startsWith('/')) throw new Error(`SBPL: not a clean path: ${folder}`);
  return path === folder || path.startsWith(`${folder}/`);
}

/** Accepts only syntax that POSIX and JavaScript read alike. */
function readRegex(text: string): RegExp {
  const rest = text.replaceAll(/\\[\\^]|\[\^?\]?[^\]\\]*\]/g, '');
  if (/[\\{]|\(\?|[*+?]{2}/.test(rest))
    throw new Error(`SBPL: not in the known part of regular expressions: ${text}`);
  // POSIX: a closing bracket at the start of a set is a literal character.
  return new RegExp(text.replaceAll(/\[(\^?)\]/g, '[$1\\]').replaceAll('[[]', '\\['), 's');
}

function oneSymbol(rest: readonly Expression[], of: (request: Request) => string | undefined): Filter {
  if (rest.length !== 1) throw new Error('SBPL: one symbol is expected');
  const wanted = symbolOf(rest[0]);
  return (request) => of(request) === wanted;
}

function target(wanted: string): Filter {
  if (wanted === 'self') return (request) => request.target === 'self';
  if (wanted !== 'same-sandbox') throw new Error(`SBPL: unknown target ${wanted}`);
  return (request) => request.target === 'self' || request.target === 'same-sandbox';
}

function endpoint(
  side: 'local' | 'remote',
  [kind, ...rest]: readonly Expression[],
  parameters: Parameters,
): Filter {
  const wanted = symbolOf(kind);
  if (rest.length !== 1) throw new Error(`SBPL: ${side} ${wanted} takes one address`);
  if (wanted === 'unix-socket') {
    const filter = readFilter(rest[0]!, parameters);
    return ({operation, ...request}) => {
      const address = request[side];
      return address !== undefined && 'unix' in address && filter({operation, path: address.unix});
    };
  }
  if (wanted !== 'ip') throw new Error(`SBPL: unknown address ${wanted}`);
  return ipFilter(side, readText(rest[0]!, parameters));
}

function ipFilter(side: 'local' | 'remote', text: string): Filter {
  const found = /^(\*|localhost):(\*|\d+)$/.exec(text);
  if (!found) throw new Error(`SBPL: not an address: ${text}`);
  const [, host, port] = found;
  return (request) => {
    if (request.remote && 'unix' in request.remote) return false;
    if (request.local && 'unix' in request.local) return false;
    const address = request[side];
    // Trap: an unbound socket has no local address and matches every filter for one.
    if (!address) return side === 'local' && request.operation === 'network-outbound';
    if (!('ip' in address)) return false;
    const isLocal = address.ip === '127.0.0.1' || address.ip === '::1';
    return (host === '*' || isLocal) && (port === '*' || Number(port) === address.port);
  };
}
