import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { evaluateDue } from '../../../../application/grading/evaluate-due.ts';
import { verifyInstruments } from '../../../../application/market/verify-instruments.ts';
import { type SweepBench, sweepBench } from '../../../application/grading/bench.ts';
import { madePrices } from '../../../builders/prices.ts';
import { type OpenedDatabase, onPostgres } from '../../../contracts/decisions/adapters.ts';
import { inMinutes } from '../../../contracts/decisions/evaluated.ts';

let opened: OpenedDatabase;
let bench: SweepBench;
beforeAll(async () => {
  opened = await onPostgres(2);
  bench = await sweepBench(opened, madePrices('BTC'));
  await bench.submit();
  await verifyInstruments(bench.ports);
});
afterAll(() => opened.close());

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
