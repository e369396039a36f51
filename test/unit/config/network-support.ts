import {isIonError, renderMessage} from '../../../src/errors.ts';
import {defaultLayer} from '../../../src/config/defaults.ts';
import type {Layer} from '../../../src/config/layer.ts';
import {completeNetwork} from '../../../src/config/network/join-networks.ts';
import {isTable} from '../../../src/config/network/network-table.ts';
import {merge} from '../../../src/config/read/merge.ts';
import {parseLayer} from '../../../src/config/read/parse-layer.ts';
import type {LayerKind} from '../../../src/config/settings.ts';

const place = {kind: 'config-flag', file: 'c.toml', folder: '/w', home: '/h'} as const;

/** The error for a config with this text. */
export function problemOf(text: string): string {
  try {
    parseLayer(text, place);
  } catch (error) {
    if (!isIonError(error)) throw error;
    return renderMessage({text: error.message, at: error.at, help: error.help});
  }
  throw new Error(`no error: ${text}`);
}

/** A layer's kind, its text, and whether it may only tighten. */
export type NetworkLayerText = readonly [LayerKind, string, 'untrusted'?];

/** The value of `sandbox.network` after joining the layers, highest first: its word, or the entries of its table. */
export function mergeLayers(layers: readonly NetworkLayerText[]): string {
  const read = layers.map(([kind, value, untrusted]): Layer => {
    const text = value.startsWith('"') ? `sandbox.network = ${value}` : `[sandbox.network]\n${value}`;
    const onlyTightens = untrusted === undefined ? undefined : {why: untrusted, help: 'trust it'};
    return {...parseLayer(text, {...place, kind}), kind, onlyTightens};
  });
  const network = completeNetwork(merge([...read, defaultLayer(['/h'])]).values['sandbox.network'].value);
  if (!isTable(network)) return network;
  return [
    ...network.allow.map(({value}) => value),
    ...network.deny.map(({value}) => `not ${value}`),
    ...(network.loopback ? ['loopback'] : []),
  ].join(' ');
}
