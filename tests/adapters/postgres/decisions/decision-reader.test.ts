import { expect, test } from '@jest/globals';
import { ownerDetail } from '../../../../domain/decisions/views/views.ts';
import { anOutcome } from '../../../builders/outcomes.ts';
import { type OpenedDatabase, onPostgres } from '../../../contracts/decisions/adapters.ts';
import { benchOn } from '../../../contracts/decisions/bench.ts';
import { evaluateAll } from '../../../contracts/decisions/evaluated.ts';
import { found } from '../../../contracts/decisions/intake-acceptance.ts';

let opened: OpenedDatabase;
const bench = benchOn({
  name: 'postgres',
  async open() {
    opened = await onPostgres(2);
    return opened;
  },
});

test('the path of an outcome from before evidence was kept is read from the outcome itself', async () => {
  const agent = await bench.agent();
  const { record_id } = await bench.accepted(agent);
  const { facts, owner_facts, bars, result_bucket } = anOutcome();
  await opened.owner.query(
    `update app.decisions set lifecycle_state = 'evaluating', due_at = app.now(), eval_token = gen_random_uuid()
     where record_id = $1`,
    [record_id],
  );
  await opened.owner.query(
    `with graded as (
       update app.decisions set lifecycle_state = 'evaluated', due_at = null, eval_token = null, evaluated_at = app.now(),
         result_bucket = $2, raw_return = $6, directional_return = $7, mfe = $8, mae = $9,
         grid = app.grid_of($3::jsonb)
       where record_id = $1 returning record_id)
     insert into app.decision_outcomes (record_id, facts, owner_facts, bars) select record_id, $3::jsonb, $4, $5 from graded`,
    [
      ...[record_id, result_bucket, facts, owner_facts, JSON.stringify(bars)],
      ...[facts.raw_return, facts.directional_return, facts.mfe?.value ?? null, facts.mae.value],
    ],
  );
  expect((await found(bench, record_id, agent.owner_id)).bars).toEqual(bars);
  expect((await found(bench, record_id)).bars).toBeNull();
});

test('bars that were damaged behind the guards hide the path, and no record', async () => {
  const agent = await bench.agent();
  const { record_id } = await bench.accepted(agent);
  await evaluateAll(bench);
  expect((await found(bench, record_id, agent.owner_id)).bars).toHaveLength(1);
  await opened.owner.query('alter table app.evidence_bars drop constraint digest_of_content');
  await opened.owner.query('alter table app.evidence_bars disable trigger evidence');
  await opened.owner.query(`update app.evidence_bars set content = 'no bars'`);
  const damaged = await found(bench, record_id, agent.owner_id);
  expect(damaged).toMatchObject({ lifecycle_state: 'evaluated', bars: null, facts: anOutcome().facts });
});

const META = '{"zebra":1.10,"10":9007199254740993,"9":1e21,"ä":{"2":[-0],"1":"\\u00e4"}}';

test('a submission is returned as its statement has it, and is stored there alone', async () => {
  const agent = await bench.agent();
  const said = { meta: META, tags: ['x'], summary: 'Half a line \u2028 and "more"' };
  const { record_id } = await bench.accepted(agent, said);
  const { rows } = await opened.owner.query(
    `select statement::jsonb -> 'body' as body, submission from app.decision_documents where record_id = $1`,
    [record_id],
  );
  const { submission } = await found(bench, record_id);
  expect(rows).toEqual([{ body: submission, submission: null }]);
  expect(submission.meta).toBe(META);
});

test('the meta of a statement of 0.4.0 is returned as that release returned it', async () => {
  const agent = await bench.agent();
  const { record_id } = await bench.accepted(agent, { summary: 'x' });
  await opened.owner.query('alter table app.decision_documents disable trigger evidence');
  await opened.owner.query(
    `update app.decision_documents set statement = $2, commitment = encode(sha256(salt || convert_to($2, 'UTF8')), 'hex')
     where record_id = $1`,
    [
      record_id,
      '{"body":{"meta":{"10":0.1,"9":1e21,"aa":[{"yy":1,"x":2}],"b":null}},"record_id":"","submission_time":""}',
    ],
  );
  await opened.owner.query('alter table app.decision_documents enable trigger evidence');
  const { submission } = await found(bench, record_id);
  expect(submission.meta).toBe('{"9":1e+21,"10":0.1,"b":null,"aa":[{"x":2,"yy":1}]}');
});

test('a statement that was damaged behind the guards is missing from its record, and from none that is read together with it', async () => {
  const agent = await bench.agent();
  const [sound, harmed] = [await bench.accepted(agent), await bench.accepted(agent)];
  await opened.owner.query('alter table app.decision_documents disable trigger evidence');
  await opened.owner.query(
    `update app.decision_documents set (statement, commitment) =
       ('{', encode(sha256(salt || convert_to('{', 'UTF8')), 'hex')) where record_id = $1`,
    [harmed.record_id],
  );
  const [fine, faulty] = await Promise.all([found(bench, sound.record_id), found(bench, harmed.record_id)]);
  expect(ownerDetail(fine)).not.toHaveProperty('fault');
  expect(ownerDetail(faulty)).toMatchObject({ record_id: harmed.record_id, fault: { parts: ['statement'] } });
});
