import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readPlanReceipt, statePlan } from '../../../../application/plans/plans.ts';
import { MINUTE } from '../../../../domain/time.ts';
import { type LoggedService, loggedService } from './logged-service.ts';
import { failures, newFaults, tamper } from './tamper.ts';

const UPDATE = 'update app.plans set';

/** What somebody with every right changes, and what the owner sees at today's receipt. */
const TAMPERINGS = [
  ['the sentence', `${UPDATE} statement = replace(statement, 'rises', 'falls')`, /^FAILS +opening/],
  ['the query', `${UPDATE} statement = replace(statement, 'stock', 'crypto')`, /^FAILS +opening/],
  [
    'an earlier time',
    `${UPDATE} statement = replace(statement, '"stated_at":"20', '"stated_at":"19')`,
    /^FAILS +opening/,
  ],
  ['the salt', `${UPDATE} salt = sha256(salt)`, /^FAILS +opening/],
  ['the agent', `${UPDATE} agent_id = 'agt_000000000000'`, /^FAILS +producer/],
  [
    'the statement and its commitment',
    `${UPDATE} statement = statement || ' ', commitment = sha256(salt || convert_to(statement || ' ', 'UTF8'))`,
    /^FAILS +inclusion/,
  ],
] as const;

let logged: LoggedService;
beforeAll(async () => {
  logged = await loggedService(1);
});
afterAll(() => logged.close());

async function statedPlan(sentence: string): Promise<string> {
  const { owner_id, agent_id } = logged.agent;
  const { plan } = await statePlan(logged.service.ports, {
    owner_id,
    agent_id,
    network: 'a network',
    query: { market: 'stock' },
    sentence,
  });
  await logged.tick(2 * MINUTE);
  return plan.plan_id;
}

const receipt = (plan_id: string) =>
  readPlanReceipt(logged.service.ports, logged.agent.owner_id, plan_id, { full: true });

test.each(TAMPERINGS)('%s of a plan is named by check-evidence and seen by its owner', async (name, sql, seen) => {
  const plan_id = await statedPlan(`It rises: ${name}.`);
  const kept = await receipt(plan_id);
  expect(failures(await logged.verify(kept))).toEqual([]);
  const found = await newFaults(logged, () => tamper(logged, [`${sql} where plan_id = '${plan_id}'`]));
  const fault = `^leaf \\d+ of \\S+: the plan ${plan_id} says another thing, or is of others, than was logged$`;
  expect(found).toEqual([expect.stringMatching(fault)]);
  expect(failures(await logged.verify(await receipt(plan_id)))).toContainEqual(expect.stringMatching(seen));
  expect(failures(await logged.verify(kept))).toEqual([]);
});

test('a plan that is emptied, though its owner was not erased', async () => {
  const plan_id = await statedPlan('It is emptied.');
  const empty = `${UPDATE} salt = null, statement = null, question = null, content = null where plan_id = '${plan_id}'`;
  expect(await newFaults(logged, () => tamper(logged, [empty]))).toEqual([
    expect.stringMatching(`^leaf \\d+ of \\S+: the plan ${plan_id} is empty, and its owner was not erased$`),
  ]);
});

test('a plan that was removed leaves its leaf, and the receipt from before still holds', async () => {
  const plan_id = await statedPlan('It is removed.');
  const kept = await receipt(plan_id);
  const found = await newFaults(logged, () => tamper(logged, [`delete from app.plans where plan_id = '${plan_id}'`]));
  expect(found).toEqual([expect.stringMatching(`^leaf \\d+ of \\S+: the plan ${plan_id} is gone$`)]);
  await expect(receipt(plan_id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(failures(await logged.verify(kept))).toEqual([]);
});

test('the place of a plan that was removed or moved', async () => {
  const [first, second] = [await statedPlan('It has no place.'), await statedPlan('It is elsewhere.')];
  const lost = await newFaults(logged, () => tamper(logged, [`delete from app.log_plans where plan_id = '${first}'`]));
  expect(lost).toContainEqual(expect.stringMatching(/^leaf \d+ of \S+: no plan has it$/));
  expect(lost).toContainEqual(`plan ${first}: it has no leaf, and none is pending`);
  const moved = await newFaults(logged, () =>
    tamper(logged, [`update app.log_plans set index = 1 where plan_id = '${second}'`]),
  );
  expect(moved).toContainEqual(`plan ${second}: its leaf 1 is not that of a plan`);
});
