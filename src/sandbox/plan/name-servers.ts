import {ipFamily} from '../../system/ip-family.ts';
import {readSmallFile} from '../../system/small-file.ts';

/** The settings of the run's resolver. They lead its queries to the relay. */
export interface Resolver {
  readonly servers: readonly string[];
  readonly search: readonly string[];
}

/** The name servers and search domains of resolv.conf(5). Pure. */
export function parseResolver(text: string): Resolver {
  const lines = text.split('\n').map((line) =>
    line
      .replace(/[#;].*$/, '')
      .trim()
      .split(/\s+/),
  );
  const last = lines.findLast(([word]) => word === 'search' || word === 'domain');
  return {
    servers: lines
      .filter(([word, address = '']) => word === 'nameserver' && ipFamily(address) > 0)
      .map(([, address]) => address!),
    search: (last?.slice(1) ?? []).map((name) => name.toLowerCase().replace(/\.$/, '')),
  };
}

/** `ADDRESS NAME` for each name of hosts(5). Pure. */
export function parseHosts(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*$/, '').trim().split(/\s+/);
    if (ipFamily(address) === 0) return [];
    return names.map((name) => `${address} ${name.toLowerCase().replace(/\.$/, '')}`);
  });
}

export function readResolver(): Resolver {
  return parseResolver(textOf('/etc/resolv.conf'));
}

export function readHosts(): string[] {
  return parseHosts(textOf('/etc/hosts'));
}

/** Empty without the file: then the C library uses its defaults. */
function textOf(file: string): string {
  try {
    return readSmallFile({path: file, shown: file})?.text ?? '';
  } catch {
    return '';
  }
}
