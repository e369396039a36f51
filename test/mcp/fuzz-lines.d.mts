/** Returns a number below `below`. */
export function random(seed: number): (below: number) => number;
/** One line, with its line break. */
export function fuzzLine(next: (below: number) => number): Buffer;
