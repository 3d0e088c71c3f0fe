import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { recompute } from '../../../application/grading/recompute.ts';
import type { Decision } from '../../../domain/decisions/decision.ts';
import { DAY, HOUR, MINUTE } from '../../../domain/time.ts';
import { bringTo } from '../../builders/circuits.ts';
import { aSubmission } from '../../builders/decisions.ts';
import { madePrices } from '../../builders/prices.ts';
import { anAgentAt, strangerAt, type TestAgent } from '../../harness/callers.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';

const FIRST = Date.parse('2026-03-02T12:00:00.000Z');

describe.each(STORAGES)('the peg during a window, on %s', (storage) => {
  let service: TestService;
  let agent: TestAgent;
  let day = 0;
  beforeAll(async () => {
    const marketData = madePrices('BTC');
    const ports = () => ({ marketData });
    service = await openService(storage, { at: new Date(FIRST), env: { LIMIT_COOLDOWN_SECONDS: '0' }, ports });
    agent = await anAgentAt(service);
  });
  beforeEach(async () => {
    day += 1;
    await service.arrange.freeze(at(0));
    await bringTo(service.ports.circuits, 'USDT', 'normal');
    await service.arrange.advance(HOUR);
  });
  afterAll(() => service.close());

  const at = (millis: number) => new Date(FIRST + day * DAY + millis);
  const move = (millis: number) => service.arrange.advance(millis);
  async function submitted(quote_currency = 'USDT'): Promise<string> {
    const venue = quote_currency === 'USD' ? 'COINBASE' : 'BINANCE';
    const body = aSubmission(await service.ports.clock.now(), { venue, quote_currency });
    const { body: receipt } = await agent.submit(body);
    await service.settle();
    return receipt.record_id;
  }
  async function graded(record_id: string) {
    await move(2 * HOUR);
    await service.settle();
    const { body } = await agent.state(record_id);
    expect(body.state).toBe('closed');
    return body.outcome;
  }

  test('an outcome shows to its owner and to everybody when the coin was tripped and when it was warming', async () => {
    const id = await submitted();
    await move(10 * MINUTE);
    const tripped = await service.arrange.circuit('USDT', 'tripped');
    await move(10 * MINUTE);
    const warming = await service.arrange.circuit('USDT', 'warming');
    const outcome = await graded(id);
    const began = at(HOUR + 10 * MINUTE).toISOString();
    const warmed = at(HOUR + 20 * MINUTE).toISOString();
    expect(outcome.peg).toEqual({
      coin: 'USDT',
      overlaps: [
        { state: 'tripped', from: began, until: warmed, snapshot_id: tripped },
        { state: 'warming', from: warmed, until: null, snapshot_id: warming },
      ],
    });
    expect((await agent.read(id)).body.outcome.peg).toEqual(outcome.peg);
    const nobody = strangerAt(service);
    expect((await nobody.read(id)).body.outcome.peg).toEqual(outcome.peg);
    expect((await nobody.state(id)).body.outcome.peg).toEqual(outcome.peg);
  });

  test('the bucket and every other fact are those of a coin that held', async () => {
    const [calm, isolated] = [await submitted('USDC'), await submitted()];
    await service.arrange.circuit('USDT', 'tripped');
    const { peg, ...others } = await graded(isolated);
    expect(peg.overlaps).toHaveLength(1);
    expect((await agent.state(calm)).body.outcome).toEqual(others);
  });

  test('an outcome has no peg where the coin was normal, another coin was tripped, or the quote is no stablecoin', async () => {
    await service.arrange.circuit('USDT', 'normal');
    await move(MINUTE);
    const ids = [await submitted(), await submitted('USDC'), await submitted('USD')];
    await move(HOUR + MINUTE);
    await service.arrange.circuit('USDT', 'tripped');
    for (const id of ids) expect(await graded(id)).not.toHaveProperty('peg');
  });

  test('records of one instrument that are graded together each contain the overlaps of their own window', async () => {
    const before = await submitted();
    await move(HOUR + 1);
    await service.arrange.circuit('USDT', 'tripped');
    const during = await submitted();
    await move(HOUR + 10 * MINUTE);
    await service.settle();
    const overlaps = async (id: string) => (await agent.state(id)).body.outcome.peg?.overlaps.length ?? 0;
    expect([await overlaps(before), await overlaps(during)]).toEqual([0, 1]);
  });

  test('the peg is sealed with the evidence: a recomputation returns the same after the circuit has changed', async () => {
    await service.arrange.circuit('USDT', 'tripped');
    const [id, calm] = [await submitted(), await submitted('USDC')];
    await graded(id);
    await service.arrange.circuit('USDT', 'normal');
    for (const each of [id, calm]) expect(await recompute(service.ports, each)).toMatchObject({ kind: 'same' });
    const documents = [id, calm].map((each) => service.ports.evidence.findEvidence(each));
    const [sealed, without] = (await Promise.all(documents)).map((each) => JSON.parse(each?.document ?? '{}'));
    expect(sealed.isolations).toMatchObject([{ state: 'tripped', until: null }]);
    expect(without).not.toHaveProperty('isolations');
  });

  test('a recomputation reports a peg that was removed from the facts', async () => {
    await service.arrange.circuit('USDT', 'tripped');
    const id = await submitted();
    await graded(id);
    const { decisions } = service.ports;
    const withoutPeg = (decision: Decision): Decision => {
      const { peg: _, ...facts } = decision.facts ?? ({} as NonNullable<Decision['facts']>);
      return { ...decision, facts };
    };
    const altered = {
      evidence: service.ports.evidence,
      decisions: {
        ...decisions,
        find: async (ids: readonly string[], owner: string | null) =>
          (await decisions.find(ids, owner)).map(withoutPeg),
      },
    };
    const result = await recompute(altered, id);
    expect(result).toMatchObject({ kind: 'different', differences: [{ path: 'facts.peg', kept: '' }] });
  });
});
