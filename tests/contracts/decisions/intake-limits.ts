import { expect, test } from '@jest/globals';
import type { DecisionDraft, DecisionIntake } from '../../../domain/decisions/submission/decision-intake.ts';
import { CONTRACT_LIMITS } from '../../../domain/limits.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../../domain/time.ts';
import { type AgentCaller, NO_LIMITS, randomName, receiptOf, tally } from '../../builders/decisions.ts';
import { race } from '../adapters.ts';
import type { DecisionContract } from './bench.ts';

const COOLDOWN = CONTRACT_LIMITS.cooldownSeconds;

export const intakeLimitsContract: DecisionContract = {
  name: 'cooldown, frequency and retroactive quota',
  promises(bench) {
    test('a repeated decision is refused for 15 minutes to the millisecond, and the refusal names the record', async () => {
      const agent = await bench.agent();
      const { record_id } = receiptOf(await bench.submit(agent));
      const held = (retry_after_seconds: number) => ({ verdict: 'cooldown', record_id, retry_after_seconds });
      expect(await bench.submit(agent)).toEqual(held(COOLDOWN));
      await bench.arrange().advance(1);
      expect(await bench.submit(agent)).toEqual(held(COOLDOWN));
      await bench.arrange().advance(COOLDOWN * SECOND - 2);
      expect(await bench.submit(agent)).toEqual(held(1));
      await bench.arrange().advance(1);
      const second = await bench.submit(agent);
      expect(second).toMatchObject({ verdict: 'accepted' });
      expect(await bench.submit(agent)).toMatchObject({ record_id: receiptOf(second).record_id });
    });

    test('the cooldown is of agent, market, symbol and direction, and of nothing else', async () => {
      const agent = await bench.agent();
      const held = receiptOf(await bench.submit(agent)).record_id;
      const elsewhere = { venue: 'BINANCE', asset_class: 'perp', quote_currency: 'USDT', symbol: 'btc-usdt' };
      const stock = {
        market: 'stock',
        symbol: 'BTC',
        venue: 'NYSE',
        horizon_kind: 'trading_days',
        horizon_value: 2,
      } as const;
      expect(await bench.submit(agent, elsewhere)).toMatchObject({ verdict: 'cooldown', record_id: held });
      expect(await bench.submit(agent, { horizon_value: 7_200 })).toMatchObject({ verdict: 'cooldown' });
      const retroactive = await bench.hindsight(agent);
      expect(await bench.storage().intake.submit(retroactive)).toMatchObject({ verdict: 'cooldown', record_id: held });
      expect(await bench.submit(agent, { direction: 'bearish' })).toMatchObject({ verdict: 'accepted' });
      expect(await bench.submit(agent, { symbol: 'ETH' })).toMatchObject({ verdict: 'accepted' });
      expect(await bench.submit(agent, stock)).toMatchObject({ verdict: 'accepted' });
      expect(await bench.submit(await bench.agent(agent))).toMatchObject({ verdict: 'accepted' });
    });

    test('a cooldown of 0 holds nothing back and leaves no cooldown behind', async () => {
      const agent = await bench.agent();
      await bench.accepted(agent);
      await bench.accepted(agent);
      expect(await bench.submit(agent)).toMatchObject({ verdict: 'accepted' });
      expect(await bench.submit(agent)).toMatchObject({ verdict: 'cooldown' });
    });

    test('the preview returns the cooldown that a submit meets', async () => {
      const agent = await bench.agent();
      const { intake } = bench.storage();
      const { record_id } = receiptOf(await bench.submit(agent));
      await bench.arrange().advance(SECOND + 1);
      const draft = await bench.draft(agent);
      const held = { verdict: 'cooldown', record_id, retry_after_seconds: COOLDOWN - 1 };
      expect((await intake.preview(draft)).would_wait).toEqual([held]);
      expect(await intake.submit(draft)).toEqual(held);
      await bench.arrange().advance((COOLDOWN - 1) * SECOND - 1);
      expect((await intake.preview(await bench.draft(agent))).would_wait).toEqual([]);
    });

    test('the preview returns every limit that refuses, in the order of judgement, and counts nothing', async () => {
      await bench.arrange().freeze(hourAfter(await bench.now(), 45));
      const agent = await bench.agent();
      const { intake } = bench.storage();
      const limits = { ...NO_LIMITS, submitsPerHour: 1, cooldownSeconds: COOLDOWN, retroactivePerDay: 1 };
      const draft = await bench.hindsight(agent, {}, { limits });
      for (let i = 0; i < 3; i++) expect((await intake.preview(draft)).would_wait).toEqual([]);
      const { record_id } = receiptOf(await intake.submit(draft));
      const midnight = (DAY - ((await bench.now()).getTime() % DAY)) / SECOND;
      const waits = [
        { verdict: 'frequency', retry_after_seconds: COOLDOWN },
        { verdict: 'cooldown', record_id, retry_after_seconds: COOLDOWN },
        { verdict: 'retroactive_quota', retry_after_seconds: midnight },
      ];
      for (let i = 0; i < 3; i++) expect((await intake.preview(draft)).would_wait).toEqual(waits);
      expect(await intake.submit(draft)).toEqual(waits[0]);
      const { would_wait } = await intake.preview(await bench.draft(agent, { direction: 'bearish' }, { limits }));
      expect(would_wait).toEqual([waits[0]]);
      await bench.arrange().advance(COOLDOWN * SECOND);
      expect((await intake.preview(await bench.draft(agent, {}, { limits }))).would_wait).toEqual([]);
    });

    test('an agent has so many accepted submissions per UTC hour; the rest wait for the next', async () => {
      await bench.arrange().freeze(hourAfter(await bench.now(), 59));
      const agent = await bench.agent();
      const mate = await bench.agent(agent);
      const options = { limits: { ...NO_LIMITS, submitsPerHour: 3 } };
      const verdicts = [];
      for (let i = 0; i < 4; i++) verdicts.push(await bench.submit(agent, {}, options));
      expect(tally(verdicts)).toEqual({ accepted: 3, frequency: 1 });
      expect(verdicts.at(-1)).toEqual({ verdict: 'frequency', retry_after_seconds: 60 });
      expect(await bench.submit(mate, {}, options)).toMatchObject({ verdict: 'accepted' });
      await bench.arrange().advance(60 * SECOND - 1);
      expect(await bench.submit(agent, {}, options)).toEqual({ verdict: 'frequency', retry_after_seconds: 1 });
      await bench.arrange().advance(1);
      expect(await bench.submit(agent, {}, options)).toMatchObject({ verdict: 'accepted' });
    });

    test('a clock that goes back by hours begins no hour anew, also one that jumps to and fro', async () => {
      const noon = hourAfter(await bench.now(), 30);
      await bench.arrange().freeze(noon);
      const agent = await bench.agent();
      const options = { limits: { ...NO_LIMITS, submitsPerHour: 3 } };
      const at = async (hours: number) => {
        await bench.arrange().freeze(new Date(noon.getTime() + hours * HOUR));
        return bench.submit(agent, {}, options);
      };
      for (const hours of [0, -2, 0]) expect(await at(hours)).toMatchObject({ verdict: 'accepted' });
      const waits = [0, -1, -2, -5, 0].map((hours) => [hours, (30 * MINUTE - hours * HOUR) / SECOND] as const);
      for (const [hours, retry_after_seconds] of waits) {
        expect(await at(hours)).toEqual({ verdict: 'frequency', retry_after_seconds });
        const { would_wait } = await bench.storage().intake.preview(await bench.draft(agent, {}, options));
        expect(would_wait).toEqual([{ verdict: 'frequency', retry_after_seconds }]);
      }
      expect(await at(1)).toMatchObject({ verdict: 'accepted' });
    });

    test('a clock that was far ahead once locks no agent out', async () => {
      const now = await bench.now();
      await bench.arrange().freeze(new Date(now.getTime() + 400 * DAY));
      const agent = await bench.agent();
      const options = { limits: { ...NO_LIMITS, submitsPerHour: 1 } };
      expect(await bench.submit(agent, {}, options)).toMatchObject({ verdict: 'accepted' });
      await bench.arrange().freeze(now);
      expect(await bench.submit(agent, {}, options)).toMatchObject({ verdict: 'accepted' });
      expect(await bench.submit(agent, {}, options)).toMatchObject({ verdict: 'frequency' });
    });

    test('an agent’s bodies of a UTC hour have so many bytes; a smaller one passes, and the rest waits for the next hour', async () => {
      await bench.arrange().freeze(hourAfter(await bench.now(), 59));
      const agent = await bench.agent();
      const limits = { ...NO_LIMITS, submitsPerHour: 10, submitMeanBytes: 1 };
      const { intake } = bench.storage();
      const large = await bench.draft(agent, { summary: 'x'.repeat(40_000) }, { limits });
      const small = await bench.draft(agent, { summary: 'x'.repeat(20_000) }, { limits });
      expect(await intake.submit(large)).toMatchObject({ verdict: 'accepted' });
      const used_bytes = Buffer.byteLength(large.body);
      const refused = { verdict: 'hour_bytes', retry_after_seconds: 60, used_bytes };
      expect((await intake.preview(large)).would_wait).toEqual([refused]);
      expect(await intake.submit(large)).toEqual(refused);
      expect(await intake.submit(small)).toMatchObject({ verdict: 'accepted' });
      const mate = await bench.agent(agent);
      expect(await bench.submit(mate, { summary: 'x'.repeat(40_000) }, { limits })).toMatchObject({
        verdict: 'accepted',
      });
      await bench.arrange().advance(60 * SECOND);
      const next = await bench.draft(agent, { summary: 'x'.repeat(40_000) }, { limits });
      expect(await intake.submit(next)).toMatchObject({ verdict: 'accepted' });
    });

    test('agents of one network begin so many hours a UTC day, and an hour that has begun goes on', async () => {
      await bench.arrange().freeze(dayAfter(await bench.now(), 22));
      const [first, second, third] = [await bench.agent(), await bench.agent(), await bench.agent()];
      const options = { network: randomName(), limits: { ...NO_LIMITS, agentHoursPerNetwork: 2 } };
      const submit = (agent: AgentCaller, more = {}) => bench.submit(agent, {}, { ...options, ...more });
      for (const agent of [first, second]) expect(await submit(agent)).toMatchObject({ verdict: 'accepted' });
      const refused = { verdict: 'network_hours', retry_after_seconds: 7_200 };
      const { would_wait } = await bench.storage().intake.preview(await bench.draft(third, {}, options));
      expect(would_wait).toEqual([refused]);
      expect(await submit(third)).toEqual(refused);
      expect(await submit(first)).toMatchObject({ verdict: 'accepted' });
      expect(await submit(third, { network: randomName() })).toMatchObject({ verdict: 'accepted' });
      expect(await submit(third)).toMatchObject({ verdict: 'accepted' });
      await bench.arrange().advance(HOUR);
      expect(await submit(first)).toMatchObject({ verdict: 'network_hours' });
      await bench.arrange().advance(HOUR);
      expect(await submit(first)).toMatchObject({ verdict: 'accepted' });
    });

    test('an owner has so many retroactive submissions per UTC day, whichever agent sends them', async () => {
      await bench.arrange().freeze(dayAfter(await bench.now(), 23));
      const agent = await bench.agent();
      const agents = [agent, await bench.agent(agent), await bench.agent(agent)];
      const limits = { ...NO_LIMITS, retroactivePerDay: 2 };
      const submit = async (each: AgentCaller) =>
        bench.storage().intake.submit(await bench.hindsight(each, {}, { limits }));
      expect(tally(await inTurn(agents, submit))).toEqual({ accepted: 2, retroactive_quota: 1 });
      expect(await submit(agent)).toEqual({ verdict: 'retroactive_quota', retry_after_seconds: 3_600 });
      expect(await bench.submit(agent, {}, { limits })).toMatchObject({ verdict: 'accepted' });
      await bench.arrange().advance(HOUR);
      expect(tally(await inTurn(agents, submit))).toEqual({ accepted: 2, retroactive_quota: 1 });
    });

    test('limits of 0 accept nothing', async () => {
      const agent = await bench.agent();
      const none = { limits: { ...NO_LIMITS, submitsPerHour: 0 } };
      expect(await bench.submit(agent, {}, none)).toMatchObject({ verdict: 'frequency' });
      const retroactive = await bench.hindsight(agent, {}, { limits: { ...NO_LIMITS, retroactivePerDay: 0 } });
      expect(await bench.storage().intake.submit(retroactive)).toMatchObject({ verdict: 'retroactive_quota' });
    });

    test('of 20 equal decisions at once one is accepted, and all other replies name it', async () => {
      const draft = await bench.draft(await bench.agent());
      expect(await equalDecisionsAtOnce(bench.storage().intake, draft)).toEqual({
        accepted: 1,
        holders: 1,
        named: true,
      });
    });

    test('of 20 at once no more are accepted than the hour allows', async () => {
      const draft = await bench.draft(await bench.agent(), {}, { limits: { ...NO_LIMITS, submitsPerHour: 7 } });
      const verdicts = await race(20, () => bench.storage().intake.submit(draft));
      expect(tally(verdicts)).toEqual({ accepted: 7, frequency: 13 });
    });

    test('of 20 at once no more are accepted than the bytes of the hour have room for', async () => {
      const limits = { ...NO_LIMITS, submitsPerHour: 100, submitMeanBytes: 1 };
      const draft = await bench.draft(await bench.agent(), { summary: 'x'.repeat(10_000) }, { limits });
      expect(await largeOnesAtOnce(bench.storage().intake, draft)).toEqual({ accepted: 6, hour_bytes: 14 });
    });

    test('of 20 agents at once no more begin an hour than their network may', async () => {
      const options = { network: randomName(), limits: { ...NO_LIMITS, agentHoursPerNetwork: 7 } };
      const drafts = await inTurn(Array.from({ length: 20 }), async () =>
        bench.draft(await bench.agent(), {}, options),
      );
      expect(await hoursBegunAtOnce(bench.storage().intake, drafts)).toEqual({ accepted: 7, network_hours: 13 });
    });

    test('of 20 retroactive ones by four agents at once no more are accepted than the owner’s day allows', async () => {
      const first = await bench.agent();
      const agents = [first, await bench.agent(first), await bench.agent(first), await bench.agent(first)];
      const options = { limits: { ...NO_LIMITS, retroactivePerDay: 6 } };
      const drafts = await Promise.all(agents.map((agent) => bench.hindsight(agent, {}, options)));
      const verdicts = await race(20, (worker) => bench.storage().intake.submit(drafts[worker % 4] as DecisionDraft));
      expect(tally(verdicts)).toEqual({ accepted: 6, retroactive_quota: 14 });
    });
  },
};

/** A storage that reads the bytes of the hour and then adds to them accepts more than six. */
export async function largeOnesAtOnce({ submit }: Pick<DecisionIntake, 'submit'>, draft: DecisionDraft) {
  return tally(await race(20, () => submit(draft)));
}

/** A storage that reads the hours of the network and then adds one accepts more than seven. */
export async function hoursBegunAtOnce({ submit }: Pick<DecisionIntake, 'submit'>, drafts: readonly DecisionDraft[]) {
  return tally(await Promise.all(drafts.map((draft) => submit(draft))));
}

/** The figures show a storage that accepts two, or that names a record which does not hold the cooldown. */
export async function equalDecisionsAtOnce({ submit }: Pick<DecisionIntake, 'submit'>, draft: DecisionDraft) {
  const verdicts = await race(20, () => submit(draft));
  const accepted = verdicts.flatMap((each) => (each.verdict === 'accepted' ? [each.receipt.record_id] : []));
  const holders = new Set(verdicts.flatMap((each) => (each.verdict === 'cooldown' ? [each.record_id] : [])));
  return { accepted: accepted.length, holders: holders.size, named: accepted.every((id) => holders.has(id)) };
}

export async function inTurn<In, Out>(items: readonly In[], work: (item: In) => Promise<Out>): Promise<Out[]> {
  const results: Out[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}

/** The given minute of the next hour. */
function hourAfter(at: Date, minute: number): Date {
  return new Date((Math.floor(at.getTime() / HOUR) + 1) * HOUR + minute * 60 * SECOND);
}

/** The given hour of the next UTC day. */
function dayAfter(at: Date, hour: number): Date {
  return new Date((Math.floor(at.getTime() / DAY) + 1) * DAY + hour * HOUR);
}
