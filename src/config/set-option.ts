import {visible} from '../errors.ts';
import type {LayerKind, Origin} from './settings.ts';
import {shellWord} from '../shell/quote.ts';
import {renderToml} from './read/render.ts';

/** `--set key=value` as a user pastes it into a shell, quoted only where the shell needs it. */
export function setOption(assignment: string): string {
  if (/^[\w/.+=:@%-]+$/.test(assignment)) return `--set ${assignment}`;
  const plain = !/['\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(assignment);
  return `--set ${plain ? `'${assignment}'` : shellWord(assignment)}`;
}

/**
 * The option that sets a value, or adds to a list. A bare word is used where TOML would not read it as another type.
 */
export function setOptionFor(key: string, value: unknown): string {
  const list = Array.isArray(value);
  const shown: unknown = list && value.length === 1 ? value[0] : value;
  return setOption(`${key}${list ? '+=' : '='}${isWord(shown) ? shown : renderToml(shown, Infinity)}`);
}

/** Files above the user's config. */
const aboveUser: readonly LayerKind[] = ['config-flag', 'grants', 'project-local', 'project'];

/**
 * The two forms to paste: an option after `ion run`, and a line of the user's config. `decidedBy`: the place of the value that
 * prevents it, if there is one. A value above the user's config must be removed: before trust, no value there may loosen.
 */
export function settingForms(key: string, value: unknown, decidedBy?: Origin): string {
  const isAbove = decidedBy?.file !== undefined && aboveUser.includes(decidedBy.layer);
  const and = isAbove ? `, without the one in ${visible(decidedBy.file!)}` : '';
  return `for this run: ${setOptionFor(key, value)}; for all: ${key} = ${renderToml(value, Infinity)} in ~/.ion/config.toml${and}`;
}

function isWord(value: unknown): value is string {
  return (
    typeof value === 'string' && /^[A-Za-z/.][\w/.-]*$/.test(value) && !/^(?:true|false|inf|nan)$/.test(value)
  );
}
