import type { Random } from '../../../../scripts/random.ts';
import { clockBack, clockForward, clockOverMidnight } from './clock-faults.ts';
import {
  fillDisk,
  fillLog,
  killBackend,
  killPostmaster,
  restartPostgres,
  terminateBackends,
} from './database-faults.ts';
import { killAtDelivery } from './delivery-faults.ts';
import { fillDiskUntilNoticed } from './disk-faults.ts';
import type { Fault } from './fault.ts';
import { cutConnections, delayConnections, partition } from './network-faults.ts';
import { killApi, killNode, killWorker, pauseApi, pauseBackend, pauseWorker } from './process-faults.ts';
import { serverClockBack, serverClockBackAndForth, serverClockForward } from './server-clock-faults.ts';
import { numbersRecycled, postmasterRecycled, secretMissing } from './start-faults.ts';

export const FAULTS: Readonly<Record<string, Fault>> = {
  'kill -9 of an API process': killApi,
  'kill -9 of a node': killNode,
  'kill -9 of a worker': killWorker,
  'kill -9 at a delivery': killAtDelivery,
  'kill -9 of the postmaster': killPostmaster,
  'kill -9 of a backend': killBackend,
  'restart of PostgreSQL': restartPostgres,
  'backends terminated': terminateBackends,
  'disk full': fillDisk,
  'disk full for the log': fillLog,
  'disk full until noticed': fillDiskUntilNoticed,
  'API process paused': pauseApi,
  'worker paused': pauseWorker,
  'backend paused': pauseBackend,
  'clock ahead': clockForward,
  'clock back': clockBack,
  'clock over midnight': clockOverMidnight,
  'server clock ahead': serverClockForward,
  'server clock back': serverClockBack,
  'server clock back and forth': serverClockBackAndForth,
  'secret missing': secretMissing,
  'process numbers recycled': numbersRecycled,
  'postmaster number recycled': postmasterRecycled,
  'connections cut': cutConnections,
  'connections slow': delayConnections,
  'database out of reach': partition,
};

const ONCE = 'clock over midnight';
/** What the stage has beyond processes of its own user. */
export interface Means {
  readonly disk: boolean;
  readonly serverClock: boolean;
}

const NEEDS: Readonly<Record<string, keyof Means>> = {
  'disk full': 'disk',
  'disk full for the log': 'disk',
  'disk full until noticed': 'disk',
  'server clock ahead': 'serverClock',
  'server clock back': 'serverClock',
  'server clock back and forth': 'serverClock',
};

/** So many that each kind is made once. */
export const EACH_ONCE = Object.keys(FAULTS).length;

/** Kinds of faults in random order, each equally often; the day changes once, between two of them. */
export function planFaults(count: number, random: Random, means: Means, only?: readonly string[]): string[] {
  const kinds =
    only ??
    Object.keys(FAULTS).filter((kind) => {
      const need = NEEDS[kind];
      return kind !== ONCE && (need === undefined || means[need]);
    });
  const planned: string[] = [];
  while (planned.length < count) planned.push(...shuffled(kinds, random));
  if (!only) planned.splice(Math.floor(count / 2), 0, ONCE);
  return planned.slice(0, count);
}

function shuffled(kinds: readonly string[], random: Random): string[] {
  return kinds
    .map((kind) => ({ kind, place: random.fraction() }))
    .sort((a, b) => a.place - b.place)
    .map(({ kind }) => kind);
}
