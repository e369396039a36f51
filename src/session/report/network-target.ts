/** What a network table refused: each part as far as it is known. */
export interface NetworkTarget {
  readonly name: string;
  readonly address: string;
  /** 0: unknown, as of a name that was only looked up. */
  readonly port: number;
}

/** Reads the detail of such a refusal: `NAME|ADDRESS|PORT`. */
export function networkTargetOf(detail: string): NetworkTarget {
  const [name = '', address = '', port = '0'] = detail.split('|');
  return {name, address, port: Number(port) || 0};
}

/**
 * Reports whether a refused address is that of a name server. Only a resolver that sends without connecting has the name in its
 * target: `192.0.2.1:53 for example.com`. libc connects its socket first, so its refusal has no name.
 */
export function isNameServer({rule, target}: {readonly rule: string; readonly target: string}): boolean {
  return rule === 'network' && /:53(?: for .*)?$/.test(target);
}

export function isNetworkRule(rule: string): boolean {
  return rule.startsWith('network-');
}
