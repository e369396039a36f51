/**
 * The processor time that `act` takes. Compare it with a bound far above what `act` needs and far below what a quadratic or
 * exponential algorithm would need. Wall time would include the load of the machine.
 */
export function cpuSeconds(act: () => void): number {
  const before = process.cpuUsage();
  act();
  const {user, system} = process.cpuUsage(before);
  return (user + system) / 1e6;
}
