/** What `act` gives, or undefined when it throws: for callers to whom the reason makes no difference. */
export function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
