import {missing, originOf, refusal, unknownKey, within, type Parse, type Raw} from './raw.ts';
import type {Sourced} from './settings.ts';

/** One value with its origin. */
export function sourced<T>(parse: Parse<T>): Parse<Sourced<T>> {
  return (raw) => ({value: parse(raw), origin: originOf(raw)});
}

/** A list; each element has its own line. */
export function list<T>(parse: Parse<T>): Parse<readonly T[]> {
  return (raw) => {
    if (!Array.isArray(raw.value)) throw refusal(raw, 'must be a list', 'write it as ["one", "two"]');
    return raw.value.map((value, index) => parse(within(raw, index, value)));
  };
}

/** A table whose names are the user's own. */
export function named<T>(parseName: Parse<string>, parse: Parse<T>): Parse<Readonly<Record<string, T>>> {
  return (raw) => {
    const entries = fieldsOf(raw).map(([name, value]): [string, T] => {
      const field = within(raw, name, value);
      return [parseName({...field, value: name}), parse(field)];
    });
    return Object.fromEntries(entries);
  };
}

/** Names and values of a table. */
export function fieldsOf(raw: Raw): [string, unknown][] {
  const {value} = raw;
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof Date) {
    throw refusal(raw, 'must be a table');
  }
  return Object.entries(value);
}

type Fields = Readonly<Record<string, Parse<unknown>>>;
type Parsed<F extends Fields> = {readonly [K in keyof F]?: ReturnType<F[K]>};
type Complete<F extends Fields, R extends keyof F> = Parsed<F> & {readonly [K in R]: ReturnType<F[K]>};

/** A table with a fixed set of fields, `required` ones among them. */
export function record<F extends Fields, R extends keyof F & string>(
  fields: F,
  required: readonly R[],
): Parse<Complete<F, R>> {
  return (raw) => {
    const result: Record<string, unknown> = {};
    for (const [name, value] of fieldsOf(raw)) {
      const parse = Object.hasOwn(fields, name) ? fields[name] : undefined;
      if (!parse) throw unknownKey(within(raw, name, value), Object.keys(fields));
      result[name] = parse(within(raw, name, value));
    }
    for (const name of required) if (!Object.hasOwn(result, name)) throw missing(raw, name);
    return result as Complete<F, R>;
  };
}
