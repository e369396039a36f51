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

export function isNetworkRule(rule: string): boolean {
  return rule.startsWith('network-');
}
