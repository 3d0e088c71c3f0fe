import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { evaluateDue } from '../../../../application/grading/evaluate-due.ts';
import { verifyInstruments } from '../../../../application/market/verify-instruments.ts';
import { type SweepBench, sweepBench } from '../../../application/grading/bench.ts';
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
let bench: SweepBench;
let ids: readonly string[];
beforeAll(async () => {
  opened = await onPostgres(2);
  bench = await sweepBench(opened, madePrices('BTC'));
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

test('a statement that was damaged past the guards fails its own evaluation, and none that is claimed with it', async () => {
  const now = await bench.ports.clock.now();
  const [sound = '', harmed = ''] = await Promise.all([bench.submit(), bench.submit()]);
  await opened.owner.query('alter table app.decision_documents disable trigger evidence');
  await opened.owner.query(
    `update app.decision_documents set (statement, commitment) =
       ('{', encode(sha256(salt || convert_to('{', 'UTF8')), 'hex')) where record_id = $1`,
    [harmed],
  );
  await opened.arrange.freeze(inMinutes(now, 90));
  await evaluateDue(bench.ports);
  expect(await bench.read(sound)).toMatchObject({ lifecycle_state: 'evaluated' });
  const { rows } = await opened.owner.query(
    'select lifecycle_state, attempts, last_error from app.decisions where record_id = $1',
    [harmed],
  );
  expect(rows).toEqual([{ lifecycle_state: 'verified', attempts: 0, last_error: expect.stringMatching(/^fault: /) }]);
  expect(bench.reported).toEqual([{ fault: expect.any(SyntaxError), about: { record_id: harmed } }]);
});
