// The load generator, a process of its own. It receives one `Load` as a message, sends one `LoadResult` and ends.
import { setTimeout } from 'node:timers/promises';
import { type Connection, connect } from './connection.ts';
import { type RequestPlan, requestsOf } from './requests.ts';

export interface Load {
  readonly port: number;
  readonly connections: number;
  /** The time that is measured, after a warm-up of half a second. */
  readonly seconds: number;
  readonly expect: number;
  /** Starts this many requests per second, whether or not earlier ones are answered; without it, as soon as a connection is free. */
  readonly perSecond?: number | undefined;
  readonly plan: RequestPlan;
}

export interface LoadResult {
  /** Replies per second of the measured time. */
  readonly perSecond: number;
  /** Milliseconds from the time at which the request was due. */
  readonly p50: number;
  readonly p99: number;
  /** Requests sent in all. */
  readonly sent: number;
  /** The first replies with another status than expected. */
  readonly failures: readonly string[];
}

const WARM_UP = 500;

process.once('message', (load: Load) => {
  run(load).then(
    (result) => process.send?.(result, () => process.disconnect()),
    (error) => {
      console.error(error);
      process.exit(1);
    },
  );
});

async function run({ port, connections, seconds, expect, perSecond, plan }: Load): Promise<LoadResult> {
  const next = requestsOf(plan);
  const begin = performance.now() + WARM_UP;
  const end = begin + seconds * 1_000;
  const latencies: number[] = [];
  const failures: string[] = [];
  let sent = 0;
  const exchange = async (connection: Connection, at: number) => {
    const reply = await connection.exchange(next(sent++));
    const now = performance.now();
    if (reply.status !== expect) failures.push(`${reply.status} ${reply.body}`);
    if (now >= begin && now < end) latencies.push(now - at);
  };
  const isOver = () => performance.now() >= end || failures.length >= 5;
  const open = await Promise.all(Array.from({ length: connections }, () => connect(port)));
  if (perSecond === undefined)
    await Promise.all(open.map((connection) => sendWithoutPause(connection, exchange, isOver)));
  else await sendSteadily(open, perSecond, exchange, isOver);
  for (const connection of open) connection.close();
  const sorted = Float64Array.from(latencies).sort();
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { perSecond: latencies.length / seconds, p50: at(0.5), p99: at(0.99), sent, failures };
}

type Exchange = (connection: Connection, dueAt: number) => Promise<void>;

async function sendWithoutPause(connection: Connection, exchange: Exchange, isOver: () => boolean): Promise<void> {
  while (!isOver()) await exchange(connection, performance.now());
}

/** A request that is due while all connections are busy waits for one. Its latency includes the wait. */
async function sendSteadily(open: readonly Connection[], perSecond: number, exchange: Exchange, isOver: () => boolean) {
  const free = [...open];
  const begin = performance.now();
  const dueAt = (n: number) => begin + (n * 1_000) / perSecond;
  let started = 0;
  const startDue = () => {
    while (dueAt(started) <= performance.now() && !isOver()) {
      const connection = free.pop();
      if (!connection) return;
      const answered = exchange(connection, dueAt(started++));
      void answered.then(() => {
        free.push(connection);
        startDue();
      });
    }
  };
  while (!isOver() || free.length < open.length) {
    startDue();
    await setTimeout(1);
  }
}
