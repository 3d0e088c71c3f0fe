import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
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

  test('is answered by app.submit as before', async () => {
    const { rows } = await client.query(SENT_BY_0_4_0.submit);
    expect(rows).toEqual([{ ordinal: 0, verdict: 'key_revoked', detail: null, received_at: null }]);
  });
});
