import type {NetworkEntry, NetworkTable} from './network-table.ts';

/** An entry as it is written in a config: its text, or a table if the text cannot hold all of it. */
export function writtenEntry({value, ports, private: local, ech}: NetworkEntry): unknown {
  const isPlain = !local && !ech && !value.includes(',');
  if (isPlain) return value;
  return {
    name: value.replace(/:[\d,]+$/, ''),
    ports: [...ports],
    ...(local ? {private: true} : {}),
    ...(ech ? {ech: 'allow'} : {}),
  };
}

/** A table as it is written in a config. */
export function writtenTable({allow, deny, loopback}: NetworkTable): object {
  return {
    allow: allow.map(writtenEntry),
    ...(deny.length > 0 ? {deny: deny.map(({value}) => value)} : {}),
    ...(loopback ? {loopback} : {}),
  };
}
