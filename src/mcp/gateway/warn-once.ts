/** Different warnings of one gateway. A server could otherwise fill the host's log. */
const warningsAtMost = 100;

/** Reports each text once, and not without end. */
export function warnOnce(warn: (text: string) => void): (text: string) => void {
  const reported = new Set<string>();
  return (text) => {
    if (reported.has(text) || reported.size > warningsAtMost) return;
    reported.add(text);
    warn(reported.size > warningsAtMost ? 'further warnings about servers are left out' : text);
  };
}
