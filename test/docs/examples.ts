/** One command of an example in the documents, and its output. */
export interface Step {
  readonly command: string;
  readonly output: string;
}

export interface Example {
  readonly line: number;
  readonly steps: readonly Step[];
}

/**
 * Blocks fenced as `console`: lines that begin with `$ ` are commands, the other lines are their output, including stderr.
 */
export function examplesOf(markdown: string): Example[] {
  return [...markdown.matchAll(/^```console\n([^]*?)^```$/gm)].map((match) => ({
    line: markdown.slice(0, match.index).split('\n').length,
    steps: stepsOf(match[1]!),
  }));
}

function stepsOf(block: string): Step[] {
  return block
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const [command = '', ...output] = part.split('\n');
      return {command, output: output.join('\n').trimEnd()};
    });
}

/**
 * Reports whether the output matches the document. A line `...` matches any number of lines; `...` in a line matches any
 * text.
 */
export function matches(printed: string, stated: string): boolean {
  const pattern = stated
    .split('\n')
    .map((line) =>
      line === '...'
        ? '[^]*'
        : line
            .split('...')
            .map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
            .join('.*'),
    )
    .join('\n');
  return new RegExp(`^${pattern}$`).test(printed.trimEnd());
}
