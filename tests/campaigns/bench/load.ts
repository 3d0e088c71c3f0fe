// The load generator, a process of its own: takes one `Load` as a message, answers with one `LoadResult`, and ends.
import { setTimeout } from 'node:timers/promises';
import { type Connection, connect } from './connection.ts';
import { type RequestPlan, requestsOf } from './requests.ts';

export interface Load {
  readonly port: number;
  readonly connections: number;
  /** How long is measured, after half a second that is not. */
  readonly seconds: number;
  readonly expect: number;
  /** Requests begin at this many per second, whether or not earlier ones were answered; without it, as soon as a connection is free. */
  readonly perSecond?: number | undefined;
  readonly plan: RequestPlan;
}

export interface LoadResult {
  /** Replies within the seconds, per second. */
  readonly perSecond: number;
  /** Milliseconds, from when the request was to be sent. */
  readonly p50: number;
  readonly p99: number;
  /** Requests sent in all. */
  readonly sent: number;
  /** What came with another status than expected, the first few of them. */
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
  const ask = async (connection: Connection, at: number) => {
    const reply = await connection.exchange(next(sent++));
    const now = performance.now();
    if (reply.status !== expect) failures.push(`${reply.status} ${reply.body}`);
    if (now >= begin && now < end) latencies.push(now - at);
  };
  const isOver = () => performance.now() >= end || failures.length >= 5;
  const open = await Promise.all(Array.from({ length: connections }, () => connect(port)));
  if (perSecond === undefined) await Promise.all(open.map((connection) => keepAsking(connection, ask, isOver)));
  else await askSteadily(open, perSecond, ask, isOver);
  for (const connection of open) connection.close();
  const sorted = Float64Array.from(latencies).sort();
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { perSecond: latencies.length / seconds, p50: at(0.5), p99: at(0.99), sent, failures };
}

type Ask = (connection: Connection, at: number) => Promise<void>;

async function keepAsking(connection: Connection, ask: Ask, isOver: () => boolean): Promise<void> {
  while (!isOver()) await ask(connection, performance.now());
}

/** A request whose time has come while all connections are busy waits for one, and that counts. */
async function askSteadily(open: readonly Connection[], perSecond: number, ask: Ask, isOver: () => boolean) {
  const free = [...open];
  const begin = performance.now();
  const dueAt = (n: number) => begin + (n * 1_000) / perSecond;
  let asked = 0;
  const askWhatIsDue = () => {
    while (dueAt(asked) <= performance.now() && !isOver()) {
      const connection = free.pop();
      if (!connection) return;
      const answered = ask(connection, dueAt(asked++));
      void answered.then(() => {
        free.push(connection);
        askWhatIsDue();
      });
    }
  };
  while (!isOver() || free.length < open.length) {
    askWhatIsDue();
    await setTimeout(1);
  }
}
