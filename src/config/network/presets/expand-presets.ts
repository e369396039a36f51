import {IonError, quoted} from '../../../errors.ts';
import type {LayerContent, ServerSection} from '../../layer.ts';
import {locationOf} from '../../read/origin.ts';
import type {Sourced} from '../../settings.ts';
import {isProblem, parseEntry} from '../entry-text.ts';
import {isTable, type NetworkEntry, type NetworkLayer} from '../network-table.ts';
import {findRegistries, type Registry, type WhereRegistriesAre} from './find-registries.ts';
import type {PresetName} from '../preset-names.ts';

/** Replaces each preset by the hosts of its registries, also in the sections of MCP servers. Reads files of package managers. */
export function expandPresets<T extends LayerContent>(content: T, where: WhereRegistriesAre): T {
  const {servers} = content;
  const sections = Object.entries(servers ?? {}).map(([name, section]): [string, ServerSection] => [
    name,
    {...section, values: expandedValues(section.values, where)},
  ]);
  return {
    ...content,
    values: expandedValues(content.values, where),
    ...(servers ? {servers: Object.fromEntries(sections)} : {}),
  };
}

function expandedValues(values: LayerContent['values'], where: WhereRegistriesAre): LayerContent['values'] {
  const network = values['sandbox.network'];
  if (!network || !isTable(network.value) || !network.value.presets) return values;
  return {...values, 'sandbox.network': {...network, value: expandedTable(network.value, where)}};
}

function expandedTable({presets = [], ...table}: NetworkLayer, where: WhereRegistriesAre): NetworkLayer {
  const found = presets.flatMap((preset) => entriesOf(preset, where));
  return {...table, allow: [...(table.allow ?? []), ...found]};
}

function entriesOf(preset: Sourced<PresetName>, where: WhereRegistriesAre): NetworkEntry[] {
  const registries = findRegistries(preset.value, where);
  if (registries.length === 0) throw nothingFound(preset);
  const entries = registries.map((registry) => entryOf(registry, preset));
  return entries.filter((entry, index) => entries.findIndex(({value}) => value === entry.value) === index);
}

function entryOf(registry: Registry, preset: Sourced<PresetName>): NetworkEntry {
  const url = urlOf(registry.url);
  const parsed = url?.protocol === 'https:' ? parseEntry(url.host) : undefined;
  if (!parsed || isProblem(parsed) || !parsed.pattern.includes('.')) throw notPublic(registry, preset, url);
  return {...parsed, origin: preset.origin, from: `preset:${preset.value}, ${registry.from}`};
}

/** cargo writes `sparse+https://`. */
function urlOf(text: string): URL | undefined {
  const plain = text.replace(/^sparse\+/, '');
  const url = URL.canParse(plain) ? new URL(plain) : undefined;
  return url?.hostname ? url : undefined;
}

function nothingFound({value, origin}: Sourced<PresetName>): IonError {
  return new IonError(`${quoted(`preset:${value}`)} finds no registry in the files of this machine`, {
    at: locationOf(origin),
    help: `run it once with --set 'sandbox.network.allow=["*"]': the closing lines list the names that it reaches`,
  });
}

/** The URL without its user and path, which may hold a secret. */
function notPublic(
  {url: written, from}: Registry,
  {value, origin}: Sourced<PresetName>,
  url?: URL,
): IonError {
  const named = url ? `${url.protocol}//${url.host}` : written.replace(/\/\/[^/]*@/, '//');
  return new IonError(
    `${quoted(`preset:${value}`)} leads to ${quoted(named, 80)} (${from}), which is not a public https host`,
    {at: locationOf(origin), help: url ? `write: ${quoted(entryInstead(url))}` : 'write the host into allow'},
  );
}

/** The entry to write instead: a name with port 80 for HTTP, an address, or `localhost` for a server of this machine. */
function entryInstead({protocol, hostname, port: written}: URL): string {
  const port = written || (protocol === 'http:' ? '80' : '443');
  if (/^(?:localhost|127\.[\d.]+|\[::1\])$/.test(hostname)) return `localhost:${port}`;
  const isAddress = /^(?:[\d.]+|\[.*\])$/.test(hostname);
  return isAddress || !hostname.includes('.') ? `tcp://${hostname}:${port}` : `${hostname}:${port}`;
}
