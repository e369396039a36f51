import {list, record, shapeOf} from '../parsers.ts';
import {originOf, refusal, shaped, type Parse, type Raw} from '../raw.ts';
import {flag, oneOf, text} from '../scalars.ts';
import type {Sourced} from '../settings.ts';
import {
  isProblem,
  parseEntry,
  presetOf,
  unknownPreset,
  type EntryOptions,
  type Problem,
} from './entry-text.ts';
import {presetNames, type PresetName} from './preset-names.ts';
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
  const parsed = parseEntry(written, options);
  if (isProblem(parsed)) throw refused(raw, parsed);
  return {...parsed, origin: originOf(raw)};
}

interface PresetEntry extends Sourced<PresetName> {
  readonly kind: 'preset';
}

function presetEntry(raw: Raw, name: string): PresetEntry {
  const value = presetNames.find((one) => one === name);
  if (value === undefined) throw refused(raw, unknownPreset(name, presetNames));
  return {kind: 'preset', value, origin: originOf(raw)};
}

/** A name with a port, `preset:npm`, or `{name, ports, private, ech}`. */
const entry: Parse<NetworkEntry | PresetEntry> = shaped(
  {anyOf: [{type: 'string'}, shapeOf(entryFields)]},
  (raw): NetworkEntry | PresetEntry => {
    if (typeof raw.value !== 'object') {
      const preset = presetOf(text(raw));
      return preset === undefined ? entryOf(raw, text(raw), {}) : presetEntry(raw, preset);
    }
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

const written = record({allow: list(entry), deny: list(denied), loopback: flag, replace: flag}, []);

const table: Parse<NetworkLayer> = shaped(shapeOf(written), (raw): NetworkLayer => {
  const {allow, ...others} = written(raw);
  const presets = (allow ?? []).filter((one) => one.kind === 'preset');
  const entries = (allow ?? []).filter((one) => one.kind !== 'preset');
  return {...others, ...(allow ? {allow: entries} : {}), ...(presets.length > 0 ? {presets} : {})};
});
const word = oneOf('none', 'loopback', 'full');

/** `none`, `loopback`, `full`, or a table of names. */
export const network: Parse<NetworkWord | NetworkLayer> = shaped(
  {anyOf: [shapeOf(word), shapeOf(table)]},
  (raw): NetworkWord | NetworkLayer =>
    typeof raw.value === 'object' && raw.value !== null && !Array.isArray(raw.value) ? table(raw) : word(raw),
);
