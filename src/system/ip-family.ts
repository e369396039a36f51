const byte = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const v4 = new RegExp(`^${byte}(?:\\.${byte}){3}$`);

/**
 * The family of an address, 0 for any other text: what isIP of node:net answers, but 0 for an address with a zone
 * (`fe80::1%eth0`). node:net takes five milliseconds to load; no other part of a start needs it.
 */
export function ipFamily(text: string): 0 | 4 | 6 {
  if (v4.test(text)) return 4;
  return /^[\da-f:.]+$/i.test(text) && URL.canParse(`http://[${text}]`) ? 6 : 0;
}
