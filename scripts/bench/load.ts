// The load generator, a process of its own: takes one `Load` as a message, answers with one `LoadResult`, and ends.
import { type Connection, connect } from './connection.ts';
import { type RequestPlan, requestsOf } from './requests.ts';

export interface Load {
  readonly port: number;
  readonly connections: number;
  /** How long is measured, after half a second that is not. */
  readonly seconds: number;
  readonly expect: number;
  readonly plan: RequestPlan;
}

export interface LoadResult {
  /** Replies within the seconds, per second. */
  readonly perSecond: number;
  /** Milliseconds. */
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

async function run({ port, connections, seconds, expect, plan }: Load): Promise<LoadResult> {
  const next = requestsOf(plan);
  const begin = performance.now() + WARM_UP;
  const end = begin + seconds * 1_000;
  const latencies: number[] = [];
  const failures: string[] = [];
  let sent = 0;
  const keepAsking = async (connection: Connection) => {
    for (let at = performance.now(); at < end && failures.length < 5; ) {
      const reply = await connection.exchange(next(sent++));
      const now = performance.now();
      if (reply.status !== expect) failures.push(`${reply.status} ${reply.body}`);
      if (now >= begin && now < end) latencies.push(now - at);
      at = now;
    }
    connection.close();
  };
  const open = await Promise.all(Array.from({ length: connections }, () => connect(port)));
  await Promise.all(open.map(keepAsking));
  const sorted = Float64Array.from(latencies).sort();
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { perSecond: latencies.length / seconds, p50: at(0.5), p99: at(0.99), sent, failures };
}
