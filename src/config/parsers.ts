import {
  missing,
  originOf,
  refusal,
  shaped,
  unknownKey,
  within,
  type Parse,
  type Raw,
  type Shape,
} from './raw.ts';
import type {Sourced} from './settings.ts';

/** The shape that `parse` accepts. Empty if it does not declare one, which accepts anything. */
export function shapeOf(parse: Parse<unknown>): Shape {
  return parse.shape ?? {};
}

/** One value with its origin. */
export function sourced<T>(parse: Parse<T>): Parse<Sourced<T>> {
  return shaped(shapeOf(parse), (raw) => ({value: parse(raw), origin: originOf(raw)}));
}

/** A list. Each element has a line of its own in messages. */
export function list<T>(parse: Parse<T>): Parse<readonly T[]> {
  return shaped({type: 'array', items: shapeOf(parse)}, (raw) => {
    if (!Array.isArray(raw.value)) throw refusal(raw, 'must be a list', 'write it as ["one", "two"]');
    return raw.value.map((value, index) => parse(within(raw, index, value)));
  });
}

/** A table whose names the user chooses. */
export function named<T>(parseName: Parse<string>, parse: Parse<T>): Parse<Readonly<Record<string, T>>> {
  return shaped({type: 'object', additionalProperties: shapeOf(parse)}, (raw) => {
    const entries = fieldsOf(raw).map((field): [string, T] => [
      parseName({...field, value: field.part}),
      parse(field),
    ]);
    return Object.fromEntries(entries);
  });
}

/** The values of a table, in its order. */
export function fieldsOf(raw: Raw): (Raw & {readonly part: string})[] {
  const table = tableOf(raw);
  return Object.keys(table).map((name) => within(raw, name, table[name]));
}

function tableOf(raw: Raw): Readonly<Record<string, unknown>> {
  const {value} = raw;
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof Date) {
    throw refusal(raw, 'must be a table');
  }
  return value as Readonly<Record<string, unknown>>;
}

type Fields = Readonly<Record<string, Parse<unknown>>>;
type Parsed<F extends Fields> = {readonly [K in keyof F]?: ReturnType<F[K]>};
type Complete<F extends Fields, R extends keyof F> = Parsed<F> & {readonly [K in R]: ReturnType<F[K]>};

/** A table with a fixed set of fields. Those in `required` must be present. */
export function record<F extends Fields, R extends keyof F & string>(
  fields: F,
  required: readonly R[],
): Parse<Complete<F, R>> {
  const parsers = Object.entries(fields);
  const properties = Object.fromEntries(parsers.map(([name, parse]) => [name, shapeOf(parse)]));
  return shaped({type: 'object', properties, required, additionalProperties: false}, (raw) => {
    const table = tableOf(raw);
    for (const name of Object.keys(table)) {
      if (!Object.hasOwn(fields, name)) throw unknownKey(within(raw, name, table[name]), Object.keys(fields));
    }
    const result: Record<string, unknown> = {};
    for (const [name, parse] of parsers) {
      const value = table[name];
      if (value !== undefined) result[name] = parse(within(raw, name, value));
      else if (required.includes(name as R)) throw missing(raw, name);
    }
    return result as Complete<F, R>;
  });
}
