import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { submissionRow } from '../../../../adapters/postgres/decisions/decision-intake.ts';
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
const SENT_BY_0_5_0 = {
  'count keys': `select caller, owner_id, agent_id, key_prefix, permission_mode, role, tier, second_start, second_used,
      minute_used, admitted, before
    from app.count_keys(key_hashes => $1::bytea[], key_addresses => '{}', counts => null, per_second => 10,
      per_minute => 100, patience_ms => 500)`,
  admit: `select caller, owner_id, agent_id, key_prefix, permission_mode, role, tier, second_start, second_used,
      minute_used, admitted, before, spend, day::text, used, credit, taken
    from app.admit_batch(key_hashes => $1::bytea[], key_addresses => '{}', key_counts => null, callers => $2::bytea[],
      session_hashes => '{}', issuers => '{}', subjects => '{}', addresses => $3::text[], counts => $4::integer[],
      address_minutes => $5::integer[], per_second => 10, per_minute => 100, spenders => $6::integer[],
      pools => $7::text[], records => '{}', bases => $8::integer[], units => $9::integer[], firsts => '{}',
      session_idle => '43200 s', session_absolute => '604800 s', session_noted => '60 s', patience_ms => 500)`,
  'give back': `select told_at as at, day::text, used, credit from app.give_back(of_owner => $1::uuid,
      of_day => '2026-03-02', of_pool => 'read', of_record => '')`,
  submit: `select * from app.submit_batch(batch => $1::jsonb, patience_ms => 25, idempotency_kept => '172800 s',
      verified_for => '604800 s')`,
  preview: `with sent as (select m, app.now() as at from jsonb_populate_record(null::app.submission, '{"related": []}') m)
    select sent.at, context.circuit_state, context.circuit_snapshot, context.workflow_found, context.instrument_verified,
      context.history_from, context.related_faults
    from sent cross join lateral app.context_of(m => sent.m, received => sent.at, verified_for => '604800 s') context`,
  'count moves': `select counted from app.count_moves(ids => '{}'::text[], ranges => '{}'::smallint[]) as counted`,
  usage: 'with clock as materialized (select app.limits_now() as at) select at from clock',
  'fold cohorts': 'select app.fold_cohorts(10) as folded',
  'fold tracks': 'select app.fold_tracks(10) as folded',
  'check cohorts': 'select cell, kept, counted from app.cohort_cell_faults(1)',
  'check tracks': 'select cell, kept, counted from app.track_faults()',
  'check the tail': `select to_jsonb(t)::text, to_jsonb(k)::text from app.cohort_tail t
    left join app.public_records k on k.record_id = t.record_id`,
  'rebuild cohorts': 'select app.rebuild_cohort_cells(), app.rebuild_track_cells()',
  'read records': `select w.position from app.wanted_records(record_ids => '{dec_1}', viewers => '{}') w`,
  'store replies': `select app.store_replies(editions => '{}', record_ids => '{}', versions => '{}', owner_texts => '{}',
      public_texts => '{}') as record_id`,
  'add months': 'select app.add_month() as name',
  erase: `select written, state from app.erase_records(erased => '00000000-0000-4000-8000-000000000001', most => 1)`,
  timeline: 'select app.own_timeline() as timeline',
  'report its process': `insert into app.service_processes (process, release, answers_requests, runs_jobs, started_at,
      connections, signing, running, reported_at) values ('p', '0.5.0', true, true, app.now(), null, null, '[]', app.now())
    on conflict (process) do update set reported_at = excluded.reported_at`,
  'write into the audit log': `insert into app.audit_log (at, actor, action, subject, detail)
    values ('2026-03-02T12:00:00Z', 'command line', 'backup', 'backup', '{}')`,
} as const;

/** Of those with parameters: an address without a caller, and a key that is unknown. */
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  'count keys': [[Buffer.alloc(32)]],
  admit: [[], [Buffer.alloc(1)], ['address'], [1], [60], [], [], [], []],
  'give back': ['00000000-0000-4000-8000-000000000001'],
  submit: ['[]'],
};

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

describe('a node of 0.5.0 next to this schema', () => {
  test.each(Object.entries(SENT_BY_0_5_0))('can still %s', async (name, statement) => {
    await expect(client.query(statement, [...(VALUES[name] ?? [])])).resolves.toBeDefined();
  });

  test('counts requests in the windows and pools of this release', async () => {
    const owner = anOwner();
    const key = aKeyOf(owner);
    const storage = await openPostgres({ url: database.serviceUrl, poolSize: 2, openJobs: async () => NO_JOBS });
    try {
      await storage.owners.add(owner);
      await storage.apiKeys.add(key, 1);
      const values = [[key.key_hash], [Buffer.alloc(1)], ['other'], [1], [60], [1], ['read'], [5], [1]];
      const { rows } = await client.query(SENT_BY_0_5_0.admit, values);
      expect(rows).toMatchObject([
        { key_prefix: key.key_prefix, minute_used: 1, admitted: 1, used: 1, taken: 1 },
        { key_prefix: null, minute_used: 1, admitted: 1, taken: 0 },
      ]);
      const request = byKey(key, { callerLimits: { per_second: 1000, per_minute: 100 }, ...taking('read', 5) });
      expect(await judged(storage.admission, request)).toMatchObject({ rate: { remaining: 98 }, quota: { used: 2 } });
    } finally {
      await storage.close();
    }
  });

  test('submits decisions', async () => {
    const storage = await openPostgres({ url: database.serviceUrl, poolSize: 2, openJobs: async () => NO_JOBS });
    try {
      const now = await storage.clock.now();
      const draft = aDraft(await anAgent(storage), now, aSubmission(now, { confidence: 0.75 }));
      const row = submissionRow(draft, 0);
      // What was added since.
      const { submit_bytes_per_hour: _, network: __, agent_hours_per_network: ___, ...sent } = row;
      const submitted = await client.query(SENT_BY_0_5_0.submit, [JSON.stringify([sent])]);
      expect(submitted.rows).toMatchObject([{ verdict: 'accepted' }]);
      const { rows } = await client.query(
        `select confidence, submission, received ->> 'method' as method from app.decision_documents where record_id = $1`,
        [submitted.rows[0].detail.record_id],
      );
      expect(rows).toEqual([{ confidence: 0.75, submission: null, method: draft.method }]);
    } finally {
      await storage.close();
    }
  });
});
