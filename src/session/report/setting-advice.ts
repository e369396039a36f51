import type {Origin} from '../../config/settings.ts';
import {settingForms} from '../../config/set-option.ts';

/** A setting of the user's own config. The values of a list are added to it. */
export interface Setting {
  readonly key:
    | 'sandbox.read_roots'
    | 'sandbox.write_roots'
    | 'sandbox.workspace'
    | 'sandbox.unprotect'
    | 'sandbox.unix_sockets'
    | 'sandbox.network'
    | 'sandbox.network.allow'
    | 'environment.keep';
  readonly value: string | readonly string[];
  /** The path in `value` must exist and be of this kind. A folder can be made by ion: `{path, create = true}`. */
  readonly needs?: 'folder' | 'file';
  /** The place of the value that prevents it. */
  readonly decidedBy?: Origin | undefined;
}

/** The advice that would allow a refused action. Without a setting, `note` is the whole advice. */
export interface Advice {
  readonly setting?: Setting;
  /** Follows the setting, with its own punctuation. Without a setting it stands alone. */
  readonly note: string;
}

export function bySetting(key: Setting['key'], value: Setting['value'], note = ''): Advice {
  return {setting: {key, value}, note};
}

export function inWords(note: string): Advice {
  return {note};
}

export const noSetting = inWords('no setting allows it: do it outside ion');

/** For the `help: ` line. Both forms can be pasted: the option after `ion run`, the TOML into the file. */
export function helpOf({setting, note}: Advice): string {
  if (!setting) return note;
  const {key, value, needs, decidedBy} = setting;
  const shown = needs === 'folder' ? [value].flat().map((path) => ({path, create: true})) : value;
  return `${settingForms(key, shown, decidedBy)}${note}`;
}
