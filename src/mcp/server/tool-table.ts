import type {ToolResult} from './tool-result.ts';

/** A JSON Schema, as data. */
export type Schema = Readonly<Record<string, unknown>>;

/** The request that a tool serves. */
export interface Call {
  /** Aborted when the host cancels the request or the connection ends. */
  readonly signal: AbortSignal;
  /** Reports progress to a host that asked for it. */
  progress(done: number, message: string): void;
}

/** A tool as hosts see it, and what it does. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Schema;
  readonly hints: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
    readonly openWorldHint: boolean;
  };
  call(input: never, call: Call): Promise<ToolResult>;
}

/** An object with these properties, and no others. A name that ends with `?` is optional. */
export function object(properties: Readonly<Record<string, Schema>>): Schema {
  const entries = Object.entries(properties);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, schema]) => [name.replace(/\?$/, ''), schema])),
    required: entries.map(([name]) => name).filter((name) => !name.endsWith('?')),
    additionalProperties: false,
  };
}

export function text(description: string): Schema {
  return {type: 'string', description};
}

export function integer(description: string, minimum: number, maximum: number): Schema {
  return {type: 'integer', description, minimum, maximum};
}

export function flag(description: string): Schema {
  return {type: 'boolean', description};
}

export const reads = {readOnlyHint: true, idempotentHint: true, openWorldHint: false} as const;
