import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { batchValues, submissionRow } from '../../../../adapters/postgres/decisions/decision-intake.ts';
import { SUBMIT_BATCH } from '../../../../adapters/postgres/functions/called-functions.ts';
import { openPostgres, type PostgresStorage } from '../../../../adapters/postgres/storage.ts';
import type { DecisionDraft, Verdict } from '../../../../domain/decisions/submission/decision-intake.ts';
import { NO_LIMITS, randomName, receiptOf, tally } from '../../../builders/decisions.ts';
import { race } from '../../../contracts/adapters.ts';
import { NO_JOBS, type OpenedDatabase, onPostgres } from '../../../contracts/decisions/adapters.ts';
import { benchOn } from '../../../contracts/decisions/bench.ts';
import { groupOf } from '../../../contracts/decisions/intake-groups.ts';
import { callerByKey } from '../../../harness/known-callers.ts';

let opened: OpenedDatabase;
let other: PostgresStorage;
// Before the bench drops the database.
afterAll(() => other.close());
const bench = benchOn({
  name: 'postgres',
  async open() {
    opened = await onPostgres(4);
    return opened;
  },
});

/** For the database this is another process of the service. */
beforeAll(async () => {
  other = await openPostgres({ url: opened.serviceUrl, poolSize: 4, openJobs: async () => NO_JOBS });
});

const submitAnywhere = (worker: number, draft: DecisionDraft): Promise<Verdict> =>
  [bench.storage(), other][worker % 2]?.intake.submit(draft) ?? Promise.reject(new Error('nowhere'));

describe('two processes', () => {
  test('40 twins spread over both are one record', async () => {
    const draft = await bench.draft(await bench.agent(), {}, { idempotencyKey: randomName() });
    const verdicts = await race(40, (worker) => submitAnywhere(worker, draft));
    expect(tally(verdicts)).toEqual({ accepted: 1, replayed: 39 });
    expect(new Set(verdicts.map((verdict) => receiptOf(verdict).record_id)).size).toBe(1);
  });

  test('40 equal decisions spread over both are one record', async () => {
    const draft = await bench.draft(await bench.agent());
    expect(tally(await race(40, (worker) => submitAnywhere(worker, draft)))).toEqual({ accepted: 1, cooldown: 39 });
  });

  test('agents and symbols in opposite orders end without a deadlock, each within its hour', async () => {
    const agents = await race(4, () => bench.agent());
    const options = { limits: { ...NO_LIMITS, cooldownSeconds: 900, submitsPerHour: 3 } };
    const symbols = ['BTC', 'ETH', 'SOL', 'ADA', 'DOT'];
    const drafts = await Promise.all(
      agents.flatMap((agent) => symbols.map((symbol) => bench.draft(agent, { symbol }, options))),
    );
    const inBothOrders = [...drafts.entries(), ...drafts.toReversed().entries()];
    const verdicts = await Promise.all(inBothOrders.map(([worker, draft]) => submitAnywhere(worker, draft)));
    expect(tally(verdicts).accepted).toBe(12);
  });
});

describe('a twin that another transaction holds open', () => {
  test('other decisions are written meanwhile, also those of its batch; it replays once the other is committed', async () => {
    const twin = await bench.draft(await bench.agent(), {}, { idempotencyKey: randomName() });
    const drafts = await race(8, async () => bench.draft(await bench.agent()));
    const held = await heldOpen(twin);
    const { submit } = bench.storage().intake;
    // Two calls leave at once; the others wait for them and leave as one batch, the twin in their midst.
    const before = drafts.slice(0, 4).map((draft) => submit(draft));
    const waiting = submit(twin);
    const after = drafts.slice(4).map((draft) => submit(draft));
    expect(tally(await Promise.all([...before, ...after]))).toEqual({ accepted: 8 });
    await held.end('commit');
    expect(await waiting).toEqual({ verdict: 'replayed', receipt: held.receipt });
  });

  test('the twin is written when the other is undone', async () => {
    const twin = await bench.draft(await bench.agent(), {}, { idempotencyKey: randomName() });
    const held = await heldOpen(twin);
    const waiting = bench.storage().intake.submit(twin);
    await bench.submit(await bench.agent());
    await held.end('rollback');
    const verdict = await waiting;
    expect(verdict.verdict).toBe('accepted');
    expect(receiptOf(verdict)).not.toEqual(held.receipt);
  });

  test('after 5 s of waiting the twin is SERVICE_UNAVAILABLE, and has left no trace', async () => {
    const agent = await bench.agent();
    const key = randomName();
    const twin = await bench.draft(agent, {}, { idempotencyKey: key });
    const held = await heldOpen(twin);
    const unavailable = { code: 'SERVICE_UNAVAILABLE', status: 503, category: 'retryable' };
    await expect(bench.storage().intake.submit(twin)).rejects.toMatchObject(unavailable);
    await held.end('rollback');
    expect(await bench.storage().intake.recorded(agent.agent_id, key)).toBeNull();
    expect(await bench.storage().intake.submit(twin)).toMatchObject({ verdict: 'accepted' });
  });
});

test('a record id that is taken is reported, and its submission leaves no trace', async () => {
  const agent = await bench.agent();
  const key = randomName();
  const draft = await bench.draft(agent, {}, { idempotencyKey: key });
  const { record_id } = await bench.accepted(await bench.agent());
  const row = { ...submissionRow(draft, 0), suffix: record_id.slice(-8) };
  const { rows } = await opened.owner.query(`select verdict, detail from ${SUBMIT_BATCH.call}`, [
    ...batchValues([row], 25),
  ]);
  expect(rows).toEqual([{ verdict: 'collision', detail: null }]);
  expect(await bench.storage().intake.recorded(agent.agent_id, key)).toBeNull();
  expect(await bench.submit(agent, {}, { limits: { submitsPerHour: 1 } })).toMatchObject({ verdict: 'accepted' });
});

describe('a group of which one horizon cannot be written', () => {
  const TAKEN = async () => ({ suffix: (await bench.accepted(await bench.agent())).record_id.slice(-8) });
  test.each([
    ['has a record id that is taken', 'collision', null, TAKEN],
    ['has a salt that is no hex', 'failed', '22023', async () => ({ salt: 'no hex' })],
  ])('leaves no trace where it %s, and the rest of its batch is accepted', async (_, verdict, detail, fault) => {
    const agent = await bench.agent();
    const key = randomName();
    const limits = { submitsPerHour: 3 };
    const [draft, ...others] = await groupOf(bench, agent, [1, 2, 3], { idempotencyKey: key, limits });
    const [second, third] = others.map((each) => submissionRow(each, 1));
    const group = { ...submissionRow(draft, 1), others: [{ ...second, ...(await fault()) }, third] };
    // Some are judged before the group, some after it.
    const neighbours = await Promise.all(
      [0, 2, 3, 4, 5, 6].map(async (ordinal) => submissionRow(await bench.draft(await bench.agent()), ordinal)),
    );
    const [first, ...rest] = neighbours;
    const { rows } = await opened.owner.query(
      `select ordinal, verdict, case verdict when 'accepted' then null else detail end as detail
       from ${SUBMIT_BATCH.call} order by ordinal`,
      [...batchValues([first, group, ...rest] as Parameters<typeof batchValues>[0], 25)],
    );
    expect(rows).toEqual(
      [0, 1, 2, 3, 4, 5, 6].map((ordinal) =>
        ordinal === 1 ? { ordinal, verdict, detail } : { ordinal, verdict: 'accepted', detail: null },
      ),
    );
    const stored = await opened.owner.query('select agent_id from app.decisions where agent_id = any($1)', [
      [agent.agent_id, ...neighbours.map(({ agent_id }) => agent_id)],
    ]);
    expect(stored.rows.map(({ agent_id }) => agent_id).toSorted()).toEqual(
      neighbours.map(({ agent_id }) => agent_id).toSorted(),
    );
    expect(await bench.storage().intake.recorded(agent.agent_id, key)).toBeNull();
    const again = receiptOf(await bench.storage().intake.submit(draft, others));
    const numbered = await opened.owner.query('select number from app.decisions where record_id = $1', [
      again.record_id,
    ]);
    expect(numbered.rows).toEqual([{ number: 1 }]);
  });
});

test('a taken record id is drawn again, a limited number of times', async () => {
  const agent = await bench.agent();
  await opened.owner.query(TAKEN_IDS);
  expect(await bench.submit(agent, {}, { idempotencyKey: 'k' })).toMatchObject({ verdict: 'accepted' });
  await opened.owner.query('alter sequence app.test_draws increment -1');
  await expect(bench.submit(agent, { symbol: 'ETH' })).rejects.toThrow('No free record id was found');
  await opened.owner.query('drop trigger test_taken on app.decisions');
});

test.each([
  ['revoked', 'revoked_at = app.now()', 'key_revoked'],
  ['set to read_only', `permission_mode = 'read_only'`, 'key_read_only'],
] as const)('a key that is %s while a submission waits for it writes nothing', async (_, change, verdict) => {
  const agent = await bench.agent();
  const changing = new pg.Client({ connectionString: opened.serviceUrl });
  await changing.connect();
  await changing.query('begin');
  await changing.query(`update app.api_keys set ${change} where key_prefix = $1`, [agent.key_prefix]);
  const waiting = bench.submit(agent);
  await bench.submit(await bench.agent());
  await changing.query('commit');
  await changing.end();
  expect(await waiting).toEqual({ verdict });
});

test('a submission that is being written keeps no request of its key waiting', async () => {
  const agent = await bench.agent();
  const held = await heldOpen(await bench.draft(agent));
  const { rows } = await opened.owner.query('select key_hash from app.api_keys where key_prefix = $1', [
    agent.key_prefix,
  ]);
  expect(await callerByKey(opened.storage.admission, rows[0])).toMatchObject({ key_prefix: agent.key_prefix });
  await held.end('commit');
});

/** The draft, written by a transaction that stays open until `end` is called. */
async function heldOpen(draft: DecisionDraft) {
  const client = new pg.Client({ connectionString: opened.serviceUrl });
  await client.connect();
  await client.query('begin');
  const { rows } = await client.query(`select verdict, detail from ${SUBMIT_BATCH.call}`, [
    ...batchValues([submissionRow(draft, 0)], 25),
  ]);
  expect(rows).toMatchObject([{ verdict: 'accepted' }]);
  return {
    receipt: rows[0].detail as object,
    async end(how: 'commit' | 'rollback') {
      await client.query(how);
      await client.end();
    },
  };
}

/** The first two records after this are as if their ids were taken; the sequence counts through rollbacks. */
const TAKEN_IDS = `
  create sequence app.test_draws minvalue -100 start 1;
  create function app.test_taken() returns trigger language plpgsql security definer as $$
  begin
    if nextval('app.test_draws') <= 2 then return null; end if;
    return new;
  end $$;
  create trigger test_taken before insert on app.decisions for each row execute function app.test_taken();`;
