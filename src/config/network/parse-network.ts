import {list, record, shapeOf} from '../parsers.ts';
import {originOf, refusal, shaped, type Parse, type Raw} from '../raw.ts';
import {flag, oneOf, text} from '../scalars.ts';
import {isProblem, parseEntry, presetOf, type EntryOptions, type Problem} from './entry-text.ts';
import type {DeniedName, NetworkEntry, NetworkLayer, NetworkWord} from './network-table.ts';

const port = shaped({type: 'integer', minimum: 1}, (raw): number => {
  if (typeof raw.value === 'number') return raw.value;
  throw refusal(raw, 'must be a port number');
});

const entryFields = record({name: text, ports: list(port), private: flag, ech: oneOf('allow', 'deny')}, [
  'name',
]);

function refused(raw: Raw, {must, help}: Problem): Error {
  return refusal(raw, must, help);
}

function entryOf(raw: Raw, written: string, options: EntryOptions): NetworkEntry {
  if (presetOf(written) !== undefined)
    throw refusal(
      raw,
      'must not be a preset',
      'write the host of the registry that the tool is configured for',
    );
  const parsed = parseEntry(written, options);
  if (isProblem(parsed)) throw refused(raw, parsed);
  return {...parsed, origin: originOf(raw)};
}

/** A name with a port, or `{name, ports, private, ech}`. */
const entry: Parse<NetworkEntry> = shaped(
  {anyOf: [{type: 'string'}, shapeOf(entryFields)]},
  (raw): NetworkEntry => {
    if (typeof raw.value !== 'object') return entryOf(raw, text(raw), {});
    const {name, ports, private: local, ech} = entryFields(raw);
    return entryOf(raw, name, {
      ...(ports ? {ports} : {}),
      ...(local ? {private: true} : {}),
      ...(ech === 'allow' ? {ech: true} : {}),
    });
  },
);

/** A name or `*.name`: the port does not matter. */
const denied: Parse<DeniedName> = shaped({type: 'string'}, (raw): DeniedName => {
  const parsed = parseEntry(text(raw));
  if (isProblem(parsed)) throw refused(raw, parsed);
  const {kind, pattern} = parsed;
  if (kind !== 'name' && kind !== 'below') throw refusal(raw, 'must be a name or "*.name"');
  return {value: pattern, origin: originOf(raw)};
});

const table: Parse<NetworkLayer> = record(
  {allow: list(entry), deny: list(denied), loopback: flag, replace: flag},
  [],
);
const word = oneOf('none', 'loopback', 'full');

/** `none`, `loopback`, `full`, or a table of names. */
export const network: Parse<NetworkWord | NetworkLayer> = shaped(
  {anyOf: [shapeOf(word), shapeOf(table)]},
  (raw): NetworkWord | NetworkLayer =>
    typeof raw.value === 'object' && raw.value !== null && !Array.isArray(raw.value) ? table(raw) : word(raw),
);
