import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { canonicalJson } from '../../adapters/formats/canonical-json.ts';
import { checkLog } from '../../application/log/check-log.ts';
import { statePlan } from '../../application/plans/plans.ts';
import { sha256 } from '../../application/sha256.ts';
import { ERASURE, PLAN } from '../../domain/limits.ts';
import { bytesOfHex, hexOf } from '../../domain/log/encoding.ts';
import { planDigest } from '../../domain/log/leaves/public-statement.ts';
import type { Plan } from '../../domain/log/plan.ts';
import { type PlanStore, planStatementOf } from '../../domain/plans/plan.ts';
import { DAY, MINUTE } from '../../domain/time.ts';
import { ACCOUNT_SETTINGS } from '../builders/accounts.ts';
import type { AgentCaller } from '../builders/decisions.ts';
import { aPlan, aQuestion, hashOf } from '../builders/plans.ts';
import { ANY_SYMBOL } from '../harness/any-symbol.ts';
import { keptLog, sequence, startNext } from '../harness/kept-logs.ts';
import { race } from './adapters.ts';
import type { Bench, DecisionContract } from './decisions/bench.ts';

/** The promises of the store of questions that were stated before their answers, and of their leaves. */
export const planContract: DecisionContract = {
  name: 'plans',
  promises(bench) {
    const words = wordsOf(bench);
    let agent: AgentCaller;
    beforeEach(async () => {
      agent = await bench.agent();
    });
    describe('a plan', () => planTests(bench, words, () => agent));
    describe('a question', () => questionTests(bench, words, () => agent));
    describe('the leaf of a plan', () => leafTests(bench, words, () => agent));
  },
};

type Words = ReturnType<typeof wordsOf>;

function wordsOf(bench: Bench) {
  const ports = () => ({ ...bench.storage(), ...ACCOUNT_SETTINGS, canonicalJson, symbols: ANY_SYMBOL });
  return {
    plans: () => bench.storage().plans,
    state: ({ owner_id, agent_id }: AgentCaller, sentence = 'It rises.', symbol = 'MSFT') =>
      statePlan(ports(), { owner_id, agent_id, network: owner_id, query: { market: 'stock', symbol }, sentence }),
    ask: ({ owner_id }: Pick<AgentCaller, 'owner_id'>, symbol = 'MSFT') =>
      bench.storage().plans.ask(owner_id, hashOf(aQuestion(symbol))),
    async erase({ owner_id }: AgentCaller) {
      const { erasures, audit } = bench.storage();
      await erasures.schedule(owner_id);
      await bench.arrange().advance(ERASURE.grace);
      await erasures.remove(owner_id);
      await audit.append({ actor: 'test', action: 'delete_owner', subject: owner_id, detail: {} });
      while ((await erasures.eraseTraces(owner_id, 1)) > 0);
    },
  };
}

function planTests(bench: Bench, { plans, state, ask, erase }: Words, agent: () => AgentCaller): void {
  test('is stored as it was stated, and found by its owner alone', async () => {
    const { plan, existed } = await state(agent());
    const { owner_id, agent_id } = agent();
    expect(existed).toBe(false);
    expect(plan).toMatchObject({ owner_id, agent_id, stated_at: await bench.now() });
    expect(plan.opened && planStatementOf(plan.opened)).toEqual({
      ...{ v: 1, plan_id: plan.plan_id, query: aQuestion(), sentence: 'It rises.', asked_before: false },
      stated_at: plan.stated_at.toISOString(),
    });
    expect(await plans().find(owner_id, plan.plan_id)).toEqual(plan);
    expect(await plans().find((await bench.agent()).owner_id, plan.plan_id)).toBeNull();
    expect(await plans().find(owner_id, randomUUID())).toBeNull();
  });

  test('is in the list of its owner, and of its agent, the newest first, page by page', async () => {
    const { owner_id, agent_id } = agent();
    const mate = await bench.agent(agent());
    const { plan: first } = await state(agent(), 'One.');
    const { plan: ofMate } = await state(mate, 'Two.');
    await bench.arrange().advance(MINUTE);
    const { plan: last } = await state(agent(), 'Three.');
    await state(await bench.agent());
    const atOnce = [ofMate, first].toSorted((a, b) => (a.plan_id < b.plan_id ? 1 : -1));
    const listed = (...[after, limit, of]: [Plan | null, number, string?]) =>
      plans().list(owner_id, of ?? null, after, limit);
    const inList = (...of: Plan[]) => of.map((plan) => ({ ...plan, log_index: null }));
    expect(await listed(null, 10)).toEqual(inList(last, ...atOnce));
    expect(await listed(null, 1)).toEqual(inList(last));
    expect(await listed(last, 1)).toEqual(inList(...atOnce.slice(0, 1)));
    expect(await listed(atOnce[0] ?? null, 10)).toEqual(inList(...atOnce.slice(1)));
    expect(await listed(atOnce[1] ?? null, 10)).toEqual([]);
    expect(await listed(null, 10, agent_id)).toEqual(inList(last, first));
    expect(await listed(last, 10, mate.agent_id)).toEqual(inList(ofMate));
    expect(await plans().list(owner_id, (await bench.agent()).agent_id, null, 10)).toEqual([]);
  });

  test('is one for the same query and sentence of an agent, of 20 at once too', async () => {
    const stated = await race(20, () => state(agent()));
    expect(new Set(stated.map(({ plan }) => plan.plan_id)).size).toBe(1);
    expect(stated.filter(({ existed }) => !existed)).toHaveLength(1);
    const others = [await state(agent(), 'It falls.'), await state(agent(), 'It rises.', 'AAPL')];
    const mate = await bench.agent(agent());
    expect([...others, await state(mate)].map(({ existed }) => existed)).toEqual([false, false, false]);
  });

  test('is stated so often a day, however many come at once, and again on the next', async () => {
    for (let n = 2; n < PLAN.perDay; n += 1) await addPlan(bench, agent(), `Sentence ${n}.`);
    const stated = await race(8, async (n) => state(agent(), `At once ${n}.`).catch((fault) => fault.code));
    expect(stated.filter((each) => each === 'RATE_LIMIT_EXCEEDED')).toHaveLength(6);
    await expect(state(await bench.agent(agent()), 'Of a mate.')).rejects.toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
      retry_after_seconds: expect.any(Number),
    });
    const known = stated.find((each) => typeof each !== 'string');
    expect(known && (await state(agent(), planStatementOf(known.plan.opened).sentence)).existed).toBe(true);
    expect((await state(await bench.agent())).existed).toBe(false);
    await bench.arrange().advance(DAY);
    expect((await state(agent(), 'Tomorrow.')).existed).toBe(false);
  });

  test('control: without the lock too many are stated at once', async () => {
    for (let n = 2; n < PLAN.perDay; n += 1) await addPlan(bench, agent(), `Sentence ${n}.`);
    const { owner_id, agent_id } = agent();
    const ports = unlocked(bench, 8);
    const stated = await race(8, (n) =>
      statePlan(ports, {
        ...{ owner_id, agent_id, network: owner_id },
        ...{ query: { market: 'stock' }, sentence: `At once ${n}.` },
      }),
    );
    expect(stated.filter(({ existed }) => !existed)).toHaveLength(8);
  });

  test('says whether its question was asked before', async () => {
    await ask(agent(), 'AAPL');
    await ask(await bench.agent());
    const [first, second] = [await state(agent()), await state(agent(), 'It rises.', 'AAPL')];
    const askedBefore = ({ plan }: typeof first) => plan.opened && planStatementOf(plan.opened).asked_before;
    expect([first, second].map(askedBefore)).toEqual([false, true]);
  });

  test('is refused to an owner who is gone', async () => {
    await erase(agent());
    await expect(state(agent())).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  });

  test('keeps its digests alone when its owner is erased; those of others stay', async () => {
    const [{ plan }, other] = [await state(agent()), await bench.agent()];
    await ask(agent());
    const { plan: kept } = await state(other);
    await erase(agent());
    expect(await plans().find(agent().owner_id, plan.plan_id)).toEqual({ ...plan, opened: null });
    expect(await plans().find(other.owner_id, kept.plan_id)).toEqual(kept);
  });

  test('is in the copy of its owner with salt and statement', async () => {
    const { plan } = await state(agent());
    await state(await bench.agent());
    const { rows } = await bench.storage().ownerData.rows(agent().owner_id, 'plans', null, 10);
    const { opened, plan_id, commitment } = plan;
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({ plan_id, commitment, salt: opened?.salt, statement: opened?.statement });
  });
}

/** Ports whose transactions are none: each call is for itself, and those of `callers` have read before the first writes. */
function unlocked(bench: Bench, callers: number): Parameters<typeof statePlan>[0] {
  const storage = bench.storage();
  let arrived = 0;
  let open: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const ground: PlanStore['ground'] = async (...call) => {
    const found = await storage.plans.ground(...call);
    arrived += 1;
    if (arrived === callers) open();
    await gate;
    return found;
  };
  const plans = { ...storage.plans, ground };
  return {
    ...storage,
    ...ACCOUNT_SETTINGS,
    canonicalJson,
    symbols: ANY_SYMBOL,
    transaction: (work) => work({ ...storage, plans }),
  };
}

/** Without the use case, so that a limit is reached soon. */
function addPlan(bench: Bench, { owner_id, agent_id }: AgentCaller, sentence: string): Promise<void> {
  return bench.now().then((stated_at) => bench.storage().plans.add(aPlan({ owner_id, agent_id, stated_at, sentence })));
}

function questionTests(bench: Bench, { ask, state, erase }: Words, agent: () => AgentCaller): void {
  test('counts once, after those before it, over all agents of the owner', async () => {
    const counts = [];
    for (const symbol of ['MSFT', 'AAPL', 'MSFT', 'IBM', 'AAPL'])
      counts.push((await ask(agent(), symbol)).queries_asked);
    expect(counts).toEqual([0, 1, 2, 2, 3]);
    expect((await ask(await bench.agent())).queries_asked).toBe(0);
  });

  test('is counted exactly when 20 are asked at once, the same ones too', async () => {
    const asked = await race(20, (n) => ask(agent(), `S${n % 10}`));
    expect(Math.max(...asked.map(({ queries_asked }) => queries_asked))).toBeLessThanOrEqual(10);
    expect((await ask(agent(), 'LAST')).queries_asked).toBe(10);
  });

  test('has the first plan that its owner stated for it, and no other', async () => {
    expect((await ask(agent())).plan).toBeNull();
    const { plan: first } = await state(agent());
    await bench.arrange().advance(MINUTE);
    await state(agent(), 'It falls.');
    await state(agent(), 'It rises.', 'AAPL');
    await state(await bench.agent());
    const { plan_id, stated_at } = first;
    expect((await ask(agent())).plan).toEqual({ plan_id, stated_at, log_index: null });
  });

  test('is refused to an owner who is gone', async () => {
    await ask(agent());
    await erase(agent());
    await expect(ask(agent(), 'AAPL')).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  });
}

function leafTests(bench: Bench, { plans, state, ask, erase }: Words, agent: () => AgentCaller): void {
  const log = async () => {
    await bench.arrange().advance(2 * MINUTE);
    return sequence(bench.storage());
  };
  const leafIndex = async ({ plan_id }: Plan) => {
    const { log: store } = bench.storage();
    return store.planLeaf((await store.newest())?.log ?? 0, plan_id);
  };
  const faults = async () => {
    const found: string[] = [];
    await checkLog({ ...bench.storage(), canonicalJson }, null, (about, each) =>
      found.push(...each.map((fault) => `${about}: ${fault}`)),
    );
    return found;
  };

  test('is appended with the next batch, once, and opens with salt, statement and producer', async () => {
    await log();
    const { plan } = await state(agent());
    const { log: store } = bench.storage();
    expect(await leafIndex(plan)).toBeNull();
    const overview = await store.overview(1, new Date((await bench.now()).getTime() + 1));
    expect(overview).toMatchObject({ pending: 1, waiting_since: await bench.now() });
    expect([await log(), await log()]).toEqual([1, 0]);
    const index = await leafIndex(plan);
    const { leaves } = await keptLog(bench.storage());
    const digests = { commitment: bytesOfHex(plan.commitment), producer: bytesOfHex(plan.producer) };
    expect(leaves[index ?? -1]).toEqual({ t: 'plan', c: hexOf(planDigest(digests, sha256)), v: 1 });
    expect((await ask(agent())).plan?.log_index).toBe(index);
    expect(await plans().list(agent().owner_id, null, null, 10)).toEqual([{ ...plan, log_index: index }]);
    expect(await store.overview(1, await bench.now())).toMatchObject({ pending: 0, waiting_since: null });
    expect(await faults()).toEqual([]);
  });

  test('comes before imported decisions, within the limit of a batch', async () => {
    await log();
    for (const sentence of ['One.', 'Two.', 'Three.']) await state(agent(), sentence);
    await bench.accepted(agent());
    await bench.arrange().advance(2 * MINUTE);
    const before = await bench.now();
    const { log: store } = bench.storage();
    expect(await store.pendingPlans(before, 2, false)).toHaveLength(2);
    expect(await store.pendingPlans(before, 2, true)).toEqual([]);
    expect(await sequence(bench.storage(), { limit: 2 })).toBe(4);
    expect(await faults()).toEqual([]);
  });

  test('stays when the owner is erased, also when that was before it was logged', async () => {
    const { plan: logged } = await state(agent());
    await log();
    const other = await bench.agent();
    const { plan: late } = await state(other);
    for (const each of [agent(), other]) await erase(each);
    await log();
    expect([await leafIndex(logged), await leafIndex(late)]).toEqual([expect.any(Number), expect.any(Number)]);
    expect(await plans().find(other.owner_id, late.plan_id)).toMatchObject({ opened: null });
    expect(await faults()).toEqual([]);
  });

  test('stays the same in a log that goes on, which gives one to a plan that waits', async () => {
    const { plan } = await state(agent());
    await log();
    const index = await leafIndex(plan);
    const { plan: waiting } = await state(agent(), 'It falls.');
    await startNext(bench.storage());
    expect([await leafIndex(plan), await leafIndex(waiting)]).toEqual([index, null]);
    await log();
    expect([await leafIndex(plan), await leafIndex(waiting)]).toEqual([index, expect.any(Number)]);
    expect(await faults()).toEqual([]);
    expect(
      (await bench.storage().log.overview((await bench.storage().log.newest())?.log ?? 0, await bench.now())).pending,
    ).toBe(0);
  });
}
