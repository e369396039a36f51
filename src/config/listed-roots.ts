import {record, shapeOf} from './parsers.ts';
import {plainPath} from './path-values.ts';
import {originOf, refusal, shaped, type Parse, type Raw} from './raw.ts';
import {flag} from './scalars.ts';
import type {ListedRoot} from './settings.ts';

const optionalRoot = record({path: plainPath, optional: flag}, ['path']);
const creatableRoot = record({path: plainPath, optional: flag, create: flag}, ['path']);

/** A path, or `{path, optional}`. */
export const readRoot: Parse<ListedRoot> = either(optionalRoot);

/** A path, `{path, optional}` or `{path, create}`. */
export const writeRoot: Parse<ListedRoot> = either(creatableRoot);

interface Fields {
  readonly path: string;
  readonly optional?: boolean;
  readonly create?: boolean;
}

function either(fields: Parse<Fields>): Parse<ListedRoot> {
  return shaped({anyOf: [shapeOf(plainPath), shapeOf(fields)]}, (raw: Raw): ListedRoot => {
    const origin = originOf(raw);
    if (typeof raw.value !== 'object') return {value: plainPath(raw), origin};
    const {path, optional, create} = fields(raw);
    if (optional && create) throw refusal(raw, 'must not be optional and created', 'keep one of the two');
    const missing = create ? 'create' : optional ? 'skip' : undefined;
    return {value: path, origin, ...(missing ? {missing} : {})};
  });
}
