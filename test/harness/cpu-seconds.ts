/**
 * Processor time that `act` takes, for a bound far above what it needs and far below what a quadratic or exponential way would. The
 * clock would count what else the machine does.
 */
export function cpuSeconds(act: () => void): number {
  const before = process.cpuUsage();
  act();
  const {user, system} = process.cpuUsage(before);
  return (user + system) / 1e6;
}
