import {settingForms} from '../../config/set-option.ts';

/** A setting of the user's own config. A list is added to what stands there. */
export interface Setting {
  readonly key:
    | 'sandbox.read_roots'
    | 'sandbox.write_roots'
    | 'sandbox.workspace'
    | 'sandbox.unprotect'
    | 'sandbox.unix_sockets'
    | 'sandbox.network'
    | 'environment.keep';
  readonly value: string | readonly string[];
  /** The path of `value` must exist as this. */
  readonly needs?: 'folder' | 'file';
}

/** What would allow what was refused. Without a setting, `note` is all that can be said. */
export interface Advice {
  readonly setting?: Setting;
  /** Follows the setting, with its own punctuation; or stands alone. */
  readonly note: string;
}

export function bySetting(key: Setting['key'], value: Setting['value'], note = ''): Advice {
  return {setting: {key, value}, note};
}

export function inWords(note: string): Advice {
  return {note};
}

export const noSetting = inWords('no setting allows it: do it outside ion');

/** For the `help: ` line. Both forms can be pasted: the option behind `ion run`, the TOML into the file. */
export function helpOf({setting, note}: Advice): string {
  if (!setting) return note;
  const {key, value} = setting;
  return `${settingForms(key, value)}${note}`;
}
