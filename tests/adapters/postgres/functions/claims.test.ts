import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { verifyInstruments } from '../../../../application/market/verify-instruments.ts';
import { sweepBench } from '../../../application/grading/bench.ts';
import { madePrices } from '../../../builders/prices.ts';
import { type OpenedDatabase, onPostgres } from '../../../contracts/decisions/adapters.ts';
import { FAR, inMinutes } from '../../../contracts/decisions/evaluated.ts';

/** The claim of a node of 0.4.0, which knows eval/1 alone. */
const CLAIM_OF_0_4_0 = `
  with due as (
    select record_id from app.decisions where due_at <= $1 order by due_at limit $3 for update skip locked
  )
  update app.decisions d set lifecycle_state = 'evaluating', eval_token = gen_random_uuid(), due_at = $2
  from due join app.decision_documents doc on doc.record_id = due.record_id
  where d.record_id = due.record_id
  returning d.record_id, d.eval_token`;

let opened: OpenedDatabase;
let client: pg.Client;
let ids: readonly string[];
beforeAll(async () => {
  opened = await onPostgres(2);
  const bench = await sweepBench(opened, madePrices('BTC'));
  ids = await Promise.all(['eval/1', 'eval/2', 'eval/1'].map((method) => bench.submit({}, { method })));
  await verifyInstruments(bench.ports);
  client = new pg.Client(opened.serviceUrl);
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await opened.close();
});

test('a node of 0.4.0 claims the records of eval/1, and leaves the others to a node that knows their method', async () => {
  const { rows } = await client.query(CLAIM_OF_0_4_0, [FAR, inMinutes(FAR, 5), 10]);
  expect(rows.map(({ record_id }) => record_id).sort()).toEqual([ids[0], ids[2]].sort());
  const { evaluations } = opened.storage;
  const claimed = await evaluations.claimDue(FAR, inMinutes(FAR, 5), 10);
  expect(claimed.map(({ decision }) => decision.record_id)).toEqual([ids[1]]);
  // The lease of another node does not let it in either.
  const later = inMinutes(FAR, 6);
  const again = await client.query(CLAIM_OF_0_4_0, [later, inMinutes(later, 5), 10]);
  expect(again.rows).toHaveLength(2);
});
