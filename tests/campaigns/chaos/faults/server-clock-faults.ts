import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND } from '../../../../domain/time.ts';
import type { Stage } from '../stage/stage.ts';
import type { Fault } from './fault.ts';

/** The clock of PostgreSQL's machine ahead, with everything that the server computes from it: heartbeats and starts of jobs too. */
export const serverClockForward: Fault = async (stage, random) => {
  const seconds = 20 + random.below(300);
  return { detail: (await jump(stage, seconds)) ?? `${seconds} s ahead` };
};

export const serverClockBack: Fault = async (stage, random) => {
  const seconds = 2 + random.below(10);
  return { detail: (await jump(stage, -seconds)) ?? `${seconds} s back` };
};

/**
 * Back, and forward again as a time server sets it right: no window and no day is opened again meanwhile, and what was counted
 * before stays counted. Farther back than `SUBMIT.cutoffLead`, data of a moment ago would be of the future, and refused rightly.
 */
export const serverClockBackAndForth: Fault = async (stage, random) => {
  const seconds = 13 + random.below(16);
  const missing = await jump(stage, -seconds);
  if (missing !== null) return { detail: missing };
  await sleep(1_000 + random.below(2_000));
  await jump(stage, seconds);
  return { detail: `${seconds} s back for some seconds` };
};

/** null when it was moved. */
async function jump({ clock, database }: Stage, seconds: number): Promise<string | null> {
  const pid = database.pid();
  if (clock.server === null || pid === null) return 'no clock of its own';
  await clock.server.jump(seconds * SECOND, pid);
  return null;
}
