import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { submissionRow } from '../../../../adapters/postgres/decisions/submission-row.ts';
import { openPostgres } from '../../../../adapters/postgres/storage.ts';
import { aKeyOf, anOwner } from '../../../builders/accounts.ts';
import { aDraft, anAgent, aSubmission } from '../../../builders/decisions.ts';
import { NO_JOBS } from '../../../contracts/decisions/adapters.ts';
import { byKey, judged, taking } from '../../../contracts/quotas/requests.ts';
import { freshDatabase, type TestDatabase } from '../../../harness/database.ts';

/**
 * What the release before this one sends: a node of it that still runs goes on next to this schema. With the next release
 * its statements take the place of these, and functions/retired.sql drops what only these call.
 */
const SENT_BY_0_4_0 = {
  admit: `select ordinal, verdict, told_at, owner_id, agent_id, key_prefix, permission_mode, role, tier, per_minute,
      rate_remaining, rate_reset, pool, record_id, units, quota_day::text, quota_used, quota_credit
    from app.admit('{null}'::bytea[], '{null}'::bytea[], '{null}'::text[], '{null}'::text[], '{address}'::text[],
      '{60}'::int[], '{10}'::int[], '{60}'::int[], '{null}'::text[], '{null}'::text[], '{null}'::int[], '{null}'::int[],
      make_interval(secs => 43200), make_interval(secs => 604800), make_interval(secs => 60), 500::int)`,
  'give back': `select told_at, day::text, used, credit
    from app.give_back('00000000-0000-4000-8000-000000000001', '2026-03-02', 'read', '')`,
  submit: `select * from app.submit('[{"ordinal": 0, "key_prefix": "none"}]'::jsonb, 25)`,
  preview: `with sent as (select m, app.now() as at from jsonb_populate_record(null::app.submission, '{"related": []}') m)
    select sent.at as received_at, beside.* from sent cross join lateral app.surroundings_of(sent.m, sent.at) beside`,
  usage: 'with clock as materialized (select app.limits_now() as at) select at from clock',
  'fold cohorts': 'select app.fold_cohorts(10) as folded',
  'check cohorts': 'select cell, kept, counted from app.cohort_cell_faults(1)',
  'check the tail': `select to_jsonb(t)::text, to_jsonb(k)::text from app.cohort_tail t
    left join app.public_records k on k.record_id = t.record_id`,
  'rebuild cohorts': 'select app.rebuild_cohort_cells()',
  timeline: 'select app.own_timeline() as timeline',
  'write into the audit log': `insert into app.audit_log (at, actor, action, subject, detail)
    values ('2026-03-02T12:00:00Z', 'command line', 'backup', 'backup', '{}')`,
} as const;

let database: TestDatabase;
let client: pg.Client;
beforeAll(async () => {
  database = await freshDatabase();
  client = new pg.Client(database.serviceUrl);
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

describe('a node of 0.4.0 next to this schema', () => {
  test.each(Object.entries(SENT_BY_0_4_0))('can still %s', async (_, statement) => {
    await expect(client.query(statement)).resolves.toBeDefined();
  });

  test('counts requests in the windows and pools of this release', async () => {
    const owner = anOwner();
    const key = aKeyOf(owner);
    const storage = await openPostgres({ url: database.serviceUrl, poolSize: 2, openJobs: async () => NO_JOBS });
    try {
      await storage.owners.add(owner);
      await storage.apiKeys.add(key, 1);
      const sent = SENT_BY_0_4_0.admit
        .replace(
          `'{null}'::bytea[]`,
          `array['\\x${Buffer.from(key.key_hash).toString('hex')}', '\\x${'00'.repeat(32)}']::bytea[]`,
        )
        .replace(`'{address}'`, `'{one,other}'`)
        .replace(
          `'{null}'::text[], '{null}'::text[], '{null}'::int[], '{null}'::int[]`,
          `'{read,read}', '{null,null}', '{5,5}', '{1,1}'`,
        )
        .replace(`'{60}'::int[], '{10}'::int[], '{60}'::int[]`, `'{60,60}', '{100,100}', '{100,100}'`);
      const { rows } = await client.query(sent);
      expect(rows).toMatchObject([
        { ordinal: 0, verdict: 'admitted', key_prefix: key.key_prefix, rate_remaining: 99, quota_used: 1 },
        { ordinal: 1, verdict: 'admitted', key_prefix: null, rate_remaining: 59, quota_used: null },
      ]);
      const request = byKey(key, { callerLimits: { per_second: 1000, per_minute: 100 }, ...taking('read', 5) });
      expect(await judged(storage.admission, request)).toMatchObject({ rate: { remaining: 98 }, quota: { used: 2 } });
    } finally {
      await storage.close();
    }
  });

  test('submits decisions whose confidence is counted', async () => {
    const storage = await openPostgres({ url: database.serviceUrl, poolSize: 2, openJobs: async () => NO_JOBS });
    try {
      const now = await storage.clock.now();
      const draft = aDraft(await anAgent(storage), now, aSubmission(now, { confidence: 0.75 }));
      const { confidence: _, method: __, ...sent } = submissionRow(draft, 0);
      const submitted = await client.query('select verdict, detail from app.submit($1, 25)', [JSON.stringify([sent])]);
      expect(submitted.rows).toMatchObject([{ verdict: 'accepted' }]);
      const { rows } = await client.query(
        `select confidence, submission = statement::jsonb -> 'body' as repeats, received ->> 'method' as method
         from app.decision_documents where record_id = $1`,
        [submitted.rows[0].detail.record_id],
      );
      expect(rows).toEqual([{ confidence: 0.75, repeats: true, method: 'eval/1' }]);
    } finally {
      await storage.close();
    }
  });

  test('is answered by app.submit as before', async () => {
    const { rows } = await client.query(SENT_BY_0_4_0.submit);
    expect(rows).toEqual([{ ordinal: 0, verdict: 'key_revoked', detail: null, received_at: null }]);
  });
});
