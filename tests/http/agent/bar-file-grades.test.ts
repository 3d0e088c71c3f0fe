import { afterEach, describe, expect, test } from '@jest/globals';
import { type MarketData, OutOfReach, openCoverage, SourceUnavailable } from '../../../domain/market/market-data.ts';
import { DAY } from '../../../domain/time.ts';
import { aSubmission } from '../../builders/decisions.ts';
import { anAgentAt, strangerAt, type TestAgent } from '../../harness/callers.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';

const AT = new Date('2026-03-02T12:00:00.000Z');
/** The packaged days of bitcoin begin at 2016-07-04 and end at the end of 2017-07-03. */
const COVERED = new Date('2017-06-27T00:00:00.000Z');
const PAST_THE_END = new Date('2017-06-30T00:00:00.000Z');

const week = (cutoff: Date) => aSubmission(cutoff, { horizon_kind: 'trading_days', horizon_value: 6 });
const down: MarketData['describe'] = async () => {
  throw new SourceUnavailable('coinbase is down');
};
const unknown: MarketData['describe'] = async () => null;

describe.each(STORAGES)('without a source that verifies the instrument, on %s', (storage) => {
  let service: TestService;
  let agent: TestAgent;
  const open = async (describe: MarketData['describe']) => {
    service = await openService(storage, {
      at: AT,
      env: { LIMIT_COOLDOWN_SECONDS: '0' },
      ports: ({ marketData }) => ({ marketData: { ...marketData, describe } }),
    });
    agent = await anAgentAt(service);
  };
  afterEach(() => service.close());
  const submitted = async (body: object): Promise<string> => (await agent.submit(body)).body.record_id;
  const stateOf = async (record_id: string) => (await agent.state(record_id)).body;

  test.each([
    ['that is down', down, { lifecycle_state: 'pending_verify', evaluation: { last_error: 'coinbase is down' } }],
    ['that does not know it', unknown, { lifecycle_state: 'rejected', poll_after_seconds: null }],
  ])('%s: bar files grade a retroactive window inside them, and no other', async (_, describe, otherwise) => {
    await open(describe);
    const covered = await submitted(week(COVERED));
    const others = [await submitted(week(PAST_THE_END)), await submitted(week(AT))];
    await service.settle();
    const state = await stateOf(covered);
    expect(state).toMatchObject({ lifecycle_state: 'evaluated', state: 'closed', outcome: { source: 'bar-files' } });
    expect(state.evaluation).toMatchObject({ attempts: 0, next_check_at: null, last_error: null });
    expect((await agent.read(covered)).body.outcome.source).toBe('bar-files');
    expect((await strangerAt(service).read(covered)).body.outcome.source).toBe('bar-files');
    for (const record_id of others) expect(await stateOf(record_id)).toMatchObject(otherwise);
  });

  test('a source that knows the instrument and does not reach back leaves the window to the files', async () => {
    const bars = async () => {
      throw new OutOfReach('kraken has the newest 720 bars only');
    };
    service = await openService(storage, {
      at: AT,
      env: { LIMIT_COOLDOWN_SECONDS: '0' },
      ports: ({ marketData }) => ({
        marketData: { ...marketData, bars, coverage: async () => [openCoverage('kraken', () => AT.getTime())] },
      }),
    });
    agent = await anAgentAt(service);
    const [covered, other] = [await agent.submit(week(COVERED)), await agent.submit(week(PAST_THE_END))];
    const codes = [covered, other].map(({ body }) => body.warnings.map(({ code }: { code: string }) => code));
    expect(codes).toEqual([['INSTRUMENT_UNVERIFIED'], ['INSTRUMENT_UNVERIFIED', 'NO_PRICE_SOURCE']]);
    await service.settle();
    expect(await stateOf(covered.body.record_id)).toMatchObject({ outcome: { source: 'bar-files' } });
    expect(await stateOf(other.body.record_id)).toMatchObject({
      lifecycle_state: 'deferred',
      expected_evaluation_at: null,
      evaluation: { attempts: 1, last_error: 'out_of_reach: kraken has the newest 720 bars only' },
    });
  });

  test('the history of a source that begins later gives no warning of a window that the files grade', async () => {
    service = await openService(storage, {
      at: AT,
      env: { LIMIT_COOLDOWN_SECONDS: '0' },
      ports: ({ marketData }) => ({
        marketData: {
          ...marketData,
          async describe(instrument) {
            const listing = await marketData.describe(instrument);
            return listing && { ...listing, source: 'kraken', history_from: AT.getTime() - 700 * DAY };
          },
          coverage: async () => [openCoverage('kraken', () => Number.NEGATIVE_INFINITY)],
        },
      }),
    });
    agent = await anAgentAt(service);
    await agent.submit(week(AT));
    await service.settle();
    const [covered, other] = [await agent.submit(week(COVERED)), await agent.submit(week(PAST_THE_END))];
    const codes = [covered, other].map(({ body }) => body.warnings.map(({ code }: { code: string }) => code));
    expect(codes).toEqual([[], ['INSUFFICIENT_HISTORY']]);
  });

  test('files that are imported during the wait grade at the next attempt', async () => {
    await open(down);
    const { barFiles } = service.ports;
    const imported = { coverage: barFiles.coverage };
    Object.assign(barFiles, { coverage: async () => [] });
    const record_id = await submitted(week(COVERED));
    await service.settle();
    expect(await stateOf(record_id)).toMatchObject({ lifecycle_state: 'pending_verify', poll_after_seconds: 60 });
    Object.assign(barFiles, imported);
    const further = await submitted(week(new Date('2017-06-20T00:00:00.000Z')));
    await service.settle();
    for (const id of [record_id, further]) {
      expect(await stateOf(id)).toMatchObject({ lifecycle_state: 'evaluated', outcome: { source: 'bar-files' } });
    }
  });
});
