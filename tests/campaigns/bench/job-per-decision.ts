import pg from 'pg';
import { PgBoss } from 'pg-boss';
import { evaluateGroup, gradeRecord } from '../../../application/grading/evaluate-group.ts';
import type { Ports } from '../../../application/ports.ts';

const QUEUE = 'evaluate-decision';
/** Workers that each fetch, do and complete one job after the other without pauses. */
const AT_ONCE = 8;

/** pg-boss jobs that each evaluate one decision, with the code and prices of a sweep. */
export interface JobPerDecision {
  /** Grades all of them. Returns how many it graded. */
  run(): Promise<number>;
  close(): Promise<void>;
}

export async function jobPerDecision(
  url: string,
  ports: Ports,
  record_ids: readonly string[],
): Promise<JobPerDecision> {
  const boss = new PgBoss({ connectionString: url, max: AT_ONCE, supervise: false, schedule: false });
  boss.on('error', console.error);
  const claims = new pg.Pool({ connectionString: url, max: AT_ONCE });
  // Connections that are closing when the database stops.
  claims.on('error', () => undefined);
  await boss.start();
  await boss.createQueue(QUEUE, { retryLimit: 2, expireInSeconds: 300 });
  await boss.insert(
    QUEUE,
    record_ids.map((record_id) => ({ data: { record_id } })),
  );
  return {
    async run() {
      const graded = await Promise.all(Array.from({ length: AT_ONCE }, () => work(boss, claims, ports)));
      return graded.reduce((sum, count) => sum + count, 0);
    },
    async close() {
      await boss.stop({ graceful: false });
      await claims.end();
    },
  };
}

async function work(boss: PgBoss, claims: pg.Pool, ports: Ports): Promise<number> {
  for (let graded = 0; ; ) {
    const [job] = await boss.fetch<{ record_id: string }>(QUEUE);
    if (!job) return graded;
    graded += await evaluate(claims, ports, job.data.record_id);
    await boss.complete(QUEUE, job.id);
  }
}

async function evaluate(claims: pg.Pool, ports: Ports, record_id: string): Promise<number> {
  const { rows } = await claims.query<{ eval_token: string }>(CLAIM, [record_id]);
  const [decision] = await ports.decisions.find([record_id], null);
  const token = rows[0]?.eval_token;
  if (!decision || token === undefined) return 0;
  const [known] = await ports.instruments.find([decision]);
  if (!known?.listing) throw new Error('The instrument is not verified.');
  const now = await ports.clock.now();
  const listed = { listing: known.listing, leftList: false };
  const ends = await evaluateGroup(ports, listed, [{ decision, token }], now, gradeRecord);
  return (await ports.evaluations.endEvaluations(ends, now)).length;
}

/** Takes a lease like a sweep, since a queue may deliver a job twice. */
const CLAIM = `
  update app.decisions set lifecycle_state = 'evaluating', eval_token = gen_random_uuid(),
    due_at = app.now() + interval '5 minutes'
  where record_id = $1 and due_at <= app.now() returning eval_token`;
