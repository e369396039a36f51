import type {Outcome, Running} from '../launch.ts';
import {startUnconfined, type PlainLaunch} from '../app-level/start-unconfined.ts';
import type {SeatbeltPlan} from './seatbelt-plan.ts';
import {makeProfile, type ReadPart} from './seatbelt-profile.ts';
import {seatbeltArgv} from './sandbox-exec.ts';
import {violationEvents} from './violation-events.ts';
import {followViolations, type ViolationLog} from './seatbelt-log.ts';

/** Starts a command under seatbelt, and reports refusals if there is a listener. */
export function startSeatbelt(launch: PlainLaunch, plan: SeatbeltPlan, readPart: ReadPart): Running {
  const profile = makeProfile(plan, readPart);
  const log = launch.onEvent ? followViolations(plan.tag) : undefined;
  const running = startUnconfined(launch, (argv) => seatbeltArgv(profile, argv));
  return log ? {...running, outcome: withRefusals(running.outcome, log, launch, plan)} : running;
}

async function withRefusals(
  outcome: Promise<Outcome>,
  log: ViolationLog,
  {onEvent}: PlainLaunch,
  plan: SeatbeltPlan,
): Promise<Outcome> {
  let ended: Outcome | undefined;
  try {
    ended = await outcome;
    return ended;
  } finally {
    // A command that succeeded did not notice a refusal, so ion does not wait for late messages.
    const found = await log.finish(ended?.code !== 0);
    for (const event of violationEvents(found, plan)) onEvent?.(event);
  }
}
