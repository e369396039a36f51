import {domainToASCII} from 'node:url';
import {ipFamily} from '../../system/ip-family.ts';
import {nearest} from '../../system/nearest.ts';
import type {NetworkEntry} from './network-table.ts';

/** An entry without its origin, or the problem with its text: words for `refusal`, and the nearest valid form. */
export type ParsedEntry = Omit<NetworkEntry, 'origin'> | Problem;

export interface Problem {
  readonly must: string;
  readonly help?: string;
}

export function isProblem(parsed: object): parsed is Problem {
  return 'must' in parsed;
}

export interface EntryOptions {
  readonly ports?: readonly number[];
  readonly private?: boolean;
  readonly ech?: boolean;
}

/** Ports of an entry that names none: TLS; for every name also HTTP. */
const defaultPorts = [443];
const anyPorts = [80, 443];
/** ion itself looks up the names. */
const dnsPort = 53;

/** Parses one entry: `example.org`, `*.example.org:443`, `tcp://host:22`, `tcp://10.0.0.0/16:9092`, `localhost:5432`, `*`. */
export function parseEntry(text: string, options: EntryOptions = {}): ParsedEntry {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1];
  if (scheme !== undefined && scheme !== 'tcp') return otherScheme(text, scheme);
  const rest = scheme === undefined ? text : text.slice('tcp://'.length);
  const split = splitPort(rest);
  if (isProblem(split)) return split;
  const {host, port} = split;
  const tcp = scheme === 'tcp';
  const named = hostOf(host, tcp);
  if (isProblem(named)) return named;
  const ports = options.ports ?? (port === undefined ? undefined : [port]);
  if (options.ports && port !== undefined)
    return {
      must: 'must not have a port beside "ports"',
      help: `write: "${rest.slice(0, rest.lastIndexOf(':'))}"`,
    };
  if (ports === undefined && (tcp || named.kind === 'localhost'))
    return {must: 'must name a port', help: `for example: "${text}:${tcp ? 22 : 5432}"`};
  return complete(named, {...options, tcp, ports: ports ?? (named.kind === 'any' ? anyPorts : defaultPorts)});
}

type Named = Pick<NetworkEntry, 'pattern' | 'kind'>;

function complete(
  {pattern, kind}: Named,
  {ports, tcp, private: local = false, ech = false}: EntryOptions & {ports: readonly number[]; tcp: boolean},
): ParsedEntry {
  const bad = ports.find((port) => !Number.isInteger(port) || port < 1 || port > 65_535 || port === dnsPort);
  if (bad === dnsPort)
    return {must: 'must not name port 53', help: 'ion answers name queries itself: leave the port out'};
  if (bad !== undefined || ports.length === 0)
    return {must: 'must name ports between 1 and 65535', help: `for example: "${pattern}:443"`};
  if (kind === 'address' && (local || ech))
    return {
      must: 'must not be private or ech: it is an address',
      help: `write: "tcp://${pattern}:${ports[0]}"`,
    };
  const sorted = [...new Set(ports)].sort((one, other) => one - other);
  const entry = {pattern, kind, ports: sorted, tcp, private: local, ech};
  return {...entry, value: entryText(entry)};
}

/** The shortest text of an entry. Flags that the text cannot hold are not in it. */
export function entryText({
  pattern,
  kind,
  ports,
  tcp,
}: Pick<NetworkEntry, 'pattern' | 'kind' | 'ports' | 'tcp'>): string {
  const standard = kind === 'any' ? anyPorts : defaultPorts;
  const same = !tcp && kind !== 'localhost' && ports.join() === standard.join();
  const host = kind === 'address' ? shownAddress(pattern) : pattern;
  return `${tcp && kind !== 'localhost' ? 'tcp://' : ''}${host}${same ? '' : `:${ports.join(',')}`}`;
}

/** A single address has no bits; IPv6 is in brackets. */
function shownAddress(pattern: string): string {
  const [address = '', bits] = pattern.split('/');
  const single = bits === (ipFamily(address) === 4 ? '32' : '128');
  const shown = ipFamily(address) === 6 ? `[${address}]` : address;
  return single ? shown : `${shown}/${bits}`;
}

function splitPort(rest: string): {host: string; port: number | undefined} | Problem {
  const match = /^(\[[^\]]*\](?:\/\d+)?|[^:]*)(?::(.*))?$/s.exec(rest);
  if (!match)
    return {
      must: 'must be a name, or an address as tcp://[fd00::1]:5432',
      help: 'IPv6 addresses need brackets',
    };
  const [, host = '', port] = match;
  if (port === undefined) return {host, port: undefined};
  if (!/^\d{1,5}$/.test(port))
    return {must: 'must end with a port number', help: `for example: "${host}:443"`};
  return {host, port: Number(port)};
}

function otherScheme(text: string, scheme: string): Problem {
  const host = /^[^:]*:\/\/([^/?#]*)/.exec(text)?.[1]?.replace(/^[^@]*@/, '') ?? '';
  const form = /^https$/i.test(scheme)
    ? host
    : /^http$/i.test(scheme)
      ? `${host}${host.includes(':') ? '' : ':80'}`
      : `tcp://${host}${host.includes(':') ? '' : ':22'}`;
  return {must: 'must be a name with a port, without this scheme', help: `write: "${form}"`};
}

function hostOf(host: string, tcp: boolean): Named | Problem {
  const address = addressOf(host);
  if (address !== undefined) {
    if (tcp) return {pattern: address, kind: 'address'};
    return {must: 'must be a name: an address needs a scheme', help: `write: "tcp://${host}:5432"`};
  }
  if (host === 'localhost') return {pattern: host, kind: 'localhost'};
  if (host === '*') return {pattern: '*', kind: 'any'};
  return nameOf(host);
}

/** `10.0.0.0/16`, with all bits for a single address. Undefined for any other text. */
function addressOf(host: string): string | undefined {
  const [, inner, plain, bits] = /^(?:\[([^\]]*)\]|([\d.]+))(?:\/(\d{1,3}))?$/.exec(host) ?? [];
  const address = inner ?? plain;
  if (address === undefined) return undefined;
  const family = ipFamily(address);
  const most = family === 4 ? 32 : 128;
  if (family === 0 || (family === 4) === (inner !== undefined)) return undefined;
  const count = bits === undefined ? most : Number(bits);
  return count <= most ? `${address.toLowerCase()}/${count}` : undefined;
}

function nameOf(written: string): Named | Problem {
  const below = written.startsWith('*.');
  const bare = (below ? written.slice(2) : written).replace(/\.$/, '');
  if (bare.includes('*')) {
    const end = bare.split('.').findLastIndex((label) => label.includes('*'));
    const rest = bare
      .split('.')
      .slice(end + 1)
      .join('.');
    return {
      must: 'must have "*" only as the whole first label',
      ...(rest ? {help: `write: "*.${rest}"`} : {}),
    };
  }
  if (bare.includes('/')) return {must: 'must be a name, not a path', help: `write: "${bare.split('/')[0]}"`};
  const ascii = asciiOf(bare);
  const labels = ascii.split('.');
  const fits = labels.every((label) => label.length > 0 && label.length <= 63) && ascii.length < 250;
  if (!/^[a-z0-9._-]+$/.test(ascii) || !fits)
    return {must: 'must be a name of letters, digits, "-", "_" and dots', help: 'for example: "example.org"'};
  if (/^\d+$/.test(labels.at(-1)!)) return {must: 'must be a name: its last label is a number'};
  return {pattern: below ? `*.${ascii}` : ascii, kind: below ? 'below' : 'name'};
}

/** International names in the form that DNS has (A-labels), lower case. */
function asciiOf(name: string): string {
  return /^[\u0021-\u007e]*$/.test(name) ? name.toLowerCase() : domainToASCII(name);
}

/** A name of a preset: `preset:npm`. */
export function presetOf(text: string): string | undefined {
  return /^preset:(.*)$/s.exec(text)?.[1];
}

export function unknownPreset(name: string, known: readonly string[]): Problem {
  const meant = nearest(name, known);
  return {
    must: 'must name a preset',
    help: meant === undefined ? `presets: ${known.join(', ')}` : `write: "preset:${meant}"`,
  };
}
