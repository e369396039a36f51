/** The result of `act`, or undefined when it throws. For callers that do not need the reason. */
export function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
