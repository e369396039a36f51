/**
 * A script that runs the substitutions in a text that bash evaluates a second time: an array index, a number, a prompt.
 * Undefined when there are none.
 */
export function embedded(text: string): string | undefined {
  if (!/\$\(|`|\$\{/.test(text)) return undefined;
  return `: "${text.replaceAll('"', '')}"`;
}
