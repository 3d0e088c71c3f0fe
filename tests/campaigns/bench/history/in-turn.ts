import { join } from 'node:path';
import type { DatabaseUrls } from '../../../../infrastructure/embedded-postgres/embedded-postgres.ts';
import type { ServerProcess } from '../../stage/server-process.ts';
import type { ThrowawayDatabase } from '../../stage/throwaway-database.ts';
import { cpuDuring } from '../cpu.ts';
import type { Load, LoadResult } from '../load.ts';
import { type Measured, medianOf } from '../measured.ts';
import { runLoad } from '../run-load.ts';
import { measuredService } from '../stage.ts';
import type { OperationRow } from './history-table.ts';
import type { Requests } from './operations.ts';

/** A history, and the service on it. */
export interface Served {
  readonly urls: DatabaseUrls;
  readonly service: ServerProcess;
}

export interface Turns {
  readonly rounds: number;
  readonly seconds: number;
}

/** Starts a service that only answers requests: no sweep of one history takes CPU from another. */
export async function serve(throwaway: ThrowawayDatabase, urls: DatabaseUrls): Promise<Served> {
  const DATA_DIR = join(throwaway.folder, new URL(urls.url).pathname);
  return { urls, service: await measuredService(throwaway, { ROLE: 'api', DATA_DIR }, urls) };
}

/** Few, so that a median is the time of a request and not of those before it. */
const CONNECTIONS = 4;

/** Sends requests to the service of a history. */
export function send(
  { adopt }: ThrowawayDatabase,
  { service }: Served,
  what: Pick<Load, 'seconds' | 'expect' | 'plan'>,
) {
  return runLoad({ port: service.port, connections: CONNECTIONS, ...what }, adopt);
}

/** Measures each operation in all histories in turn. */
export async function measureReads<S extends Served>(
  throwaway: ThrowawayDatabase,
  turns: Turns,
  histories: readonly S[],
  requestsOf: (history: S) => Requests,
): Promise<readonly OperationRow[]> {
  const all = new Map(histories.map((history) => [history, requestsOf(history)]));
  const rows: OperationRow[] = [];
  for (const name of Object.keys([...all.values()][0] ?? {})) {
    const bySize = await inTurn(throwaway, turns, histories, (history, seconds) => {
      const plan = { kind: 'any', requests: all.get(history)?.[name] ?? [] } as const;
      return send(throwaway, history, { seconds, expect: 200, plan });
    });
    console.log(`${name}: ${bySize.map(({ p50 }) => p50.toFixed(1)).join(', ')} ms`);
    rows.push({ name, bySize });
  }
  return rows;
}

/** Measures all histories in each round, in both orders, so that other load affects them alike. Returns the medians. */
export async function inTurn<S extends Served>(
  { database }: ThrowawayDatabase,
  { rounds, seconds }: Turns,
  histories: readonly S[],
  load: (history: S, seconds: number) => Promise<LoadResult>,
): Promise<readonly Measured[]> {
  const measured = new Map<S, Measured[]>(histories.map((history) => [history, []]));
  for (const history of histories) await load(history, WARM_UP);
  for (let round = 0; round < rounds; round += 1) {
    for (const history of round % 2 === 0 ? histories : histories.toReversed()) {
      const pids = [history.service.pid, database.pid];
      const [result, cpu] = await cpuDuring(pids, () => load(history, seconds));
      measured.get(history)?.push({ ...result, cpu: cpu / result.sent });
    }
  }
  return [...measured.values()].map(medianOf);
}

const WARM_UP = 2;
