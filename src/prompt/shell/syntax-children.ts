/** Properties that the parser computes when they are first read: no enumeration lists them. */
const lazy = ['parts', 'script', 'expression'] as const;

/** Every node of a syntax tree below this one, with the property that it is in. */
export function childrenOf(node: object): readonly (readonly [property: string, child: unknown])[] {
  const fields = node as Readonly<Record<string, unknown>>;
  return [...Object.entries(node), ...lazy.map((name) => [name, fields[name]] as const)];
}
