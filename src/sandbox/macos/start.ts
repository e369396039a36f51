import type {Launch, Running} from '../backend.ts';
import {startUnconfined} from '../app-level/start.ts';
import type {SeatbeltPlan} from './plan.ts';
import {makeProfile, type ReadPart} from './profile.ts';
import {seatbeltArgv} from './sandbox-exec.ts';

/** Start a command under seatbelt. */
export function startSeatbelt(launch: Launch, plan: SeatbeltPlan, readPart: ReadPart): Running {
  const profile = makeProfile(plan, readPart);
  return startUnconfined(launch, (argv) => seatbeltArgv(profile, argv));
}
