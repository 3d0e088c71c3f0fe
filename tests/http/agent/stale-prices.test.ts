import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { recompute } from '../../../application/grading/recompute.ts';
import type { Direction } from '../../../domain/decisions/call.ts';
import { type Bar, lengthOf } from '../../../domain/market/bars.ts';
import { type MarketData, openCoverage } from '../../../domain/market/market-data.ts';
import { DAY, HOUR, MINUTE, type Millis } from '../../../domain/time.ts';
import { aSubmission } from '../../builders/decisions.ts';
import { LISTING } from '../../builders/prices.ts';
import { anAgentAt, strangerAt, type TestAgent } from '../../harness/callers.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';

// The stale series of evaluation-2.md section 1: it trades at 100 until 12:00, not at all until 12:28, then at 90. The
// source carries the last price through the silence, in bars of volume 0.
const NOON = Date.parse('2026-03-02T12:00:00.000Z');
const [ENTRY, FALL] = [NOON + 15 * MINUTE, NOON + 28 * MINUTE];

describe.each(STORAGES)('a price that stands still while nothing trades, on %s', (storage) => {
  let service: TestService;
  let agent: TestAgent;
  beforeEach(async () => {
    const env = { LIMIT_COOLDOWN_SECONDS: '0' };
    service = await openService(storage, { at: new Date(ENTRY), env, ports: () => ({ marketData: STALE }) });
    agent = await anAgentAt(service);
  });
  afterEach(() => service.close());

  const call = (direction: Direction, seconds: number) =>
    aSubmission(new Date(ENTRY), { direction, horizon_kind: 'holding_seconds', horizon_value: seconds });
  async function submitted(receipt: Millis, body: object): Promise<string> {
    await service.arrange.freeze(new Date(receipt));
    const { record_id } = (await agent.submit(body)).body;
    await service.arrange.freeze(new Date(NOON + DAY));
    await service.settle();
    return record_id;
  }

  test.each([
    ['realtime', ENTRY],
    ['retroactive', ENTRY + 3 * HOUR],
  ])('%s: a bearish decision enters at 90, the first trade after its anchor', async (origin, receipt) => {
    const id = await submitted(receipt, call('bearish', 1_800));
    const { body } = await agent.read(id);
    expect(body).toMatchObject({ submission_origin: origin, lifecycle_state: 'evaluated', method: 'eval/3' });
    expect(body.outcome).toMatchObject({
      method: 'eval/3',
      entry: { price: 90, time: new Date(FALL + MINUTE).toISOString() },
      omega: null,
      bars_traded: 16,
      bars_expected: 30,
      seconds_to_entry: 14 * 60,
      seconds_after_exit: 0,
      carried_open: false,
      suspected_split: false,
    });
    expect(body.outcome.z).toBeLessThan(1);
    expect(body.outcome.bars).toHaveLength(16);
    expect(body.outcome.had_said.bearish).toBe(body.result_bucket);
    expect(body.outcome.move_z).toBe(-body.outcome.z);
    expect(await recompute(service.ports, id)).toMatchObject({ kind: 'same' });
  });

  test.each([
    ['realtime', ENTRY],
    ['retroactive', ENTRY + 3 * HOUR],
  ])('%s: a neutral decision over ten silent minutes is no_trade, and stays hidden', async (_, receipt) => {
    const id = await submitted(receipt, call('neutral', 600));
    const { body } = await agent.state(id);
    expect(body).toMatchObject({ lifecycle_state: 'data_unavailable', state: 'unavailable' });
    expect(body.evaluation.last_error).toMatch(/^no_trade: /);
    expect((await strangerAt(service).read(id)).status).toBe(404);
  });

  test('two minutes in which something trades are graded, wherever in a minute they begin', async () => {
    const within = { horizon_kind: 'holding_seconds', horizon_value: 120 } as const;
    const anchors = [0, 1, 30_000, 59_999].map((millis) => FALL + 2 * MINUTE + millis);
    const ids: string[] = [];
    for (const anchor of anchors) {
      const at = new Date(anchor);
      await service.arrange.freeze(at);
      ids.push((await agent.submit(aSubmission(at, within))).body.record_id);
    }
    await service.arrange.freeze(new Date(NOON + DAY));
    for (const anchor of anchors) {
      ids.push((await agent.submit(aSubmission(new Date(anchor), within))).body.record_id);
    }
    await service.settle();
    const read = await Promise.all(ids.map((id) => agent.read(id)));
    expect(read.map(({ body }) => [body.lifecycle_state, body.outcome?.bars_expected])).toEqual(
      [2, 1, 1, 1, 2, 1, 1, 1].map((bars) => ['evaluated', bars]),
    );
  });

  test('others see the times of the window to the minute, in its facts too', async () => {
    const id = await submitted(ENTRY + 12_345, call('bearish', 1_800));
    const [own, shown] = [(await agent.read(id)).body, (await strangerAt(service).read(id)).body];
    expect([own.outcome.seconds_to_entry, shown.outcome.seconds_to_entry]).toEqual([14 * 60 - 12.345, 14 * 60]);
    expect([own.outcome.seconds_after_exit, shown.outcome.seconds_after_exit]).toEqual([12.345, 0]);
    const state = (await strangerAt(service).state(id)).body;
    expect(state.outcome).toMatchObject(shown.outcome);
    const batch = await agent.batch([id]);
    expect(batch.body.items[0].decision.outcome).toEqual(shown.outcome);
  });
});

const STALE: MarketData = {
  describe: async () => LISTING,
  coverage: async () => [openCoverage(LISTING.source, () => LISTING.history_from)],
  async bars(_, size, from, to, now) {
    const length = lengthOf(size);
    const first = Math.ceil(from / length) * length;
    const count = Math.max(0, Math.floor((Math.min(to, now) - first) / length));
    const bars = Array.from({ length: count }, (_, i) => barAt(first + i * length, length));
    return { source: LISTING.source, size, dropped: 0, bars };
  },
};

/** Days that move by 1 %, in steps of a cent. */
function barAt(start: Millis, length: Millis): Bar {
  const common = { start, end: start + length, split: 1, total: 1 };
  if (length === DAY) {
    const close = (start / DAY) % 2 === 0 ? 100 : 101;
    return { ...common, open: 100.5, high: 101.01, low: 99.99, close, volume: 5_000 };
  }
  if (start >= NOON && start < FALL) return { ...common, open: 100, high: 100, low: 100, close: 100, volume: 0 };
  const price = start < NOON ? 100 : 90;
  const drift = start < NOON ? 0 : 0.001 * ((start - FALL) / MINUTE);
  const open = start === FALL ? 100 : price - drift;
  return { ...common, open, high: Math.max(open, price), low: price - 0.05, close: price - drift, volume: 3 };
}
