import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { openCoverage, SourceUnavailable } from '../../../domain/market/market-data.ts';
import { HOUR, MINUTE } from '../../../domain/time.ts';
import { aSubmission } from '../../builders/decisions.ts';
import { anAgentAt, strangerAt, type TestAgent } from '../../harness/callers.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';

/** A Monday in the session of New York, within the packaged prices of MSFT. */
const MONDAY = new Date('2014-06-02T15:00:00.000Z');

const msft = (at: Date) =>
  aSubmission(at, {
    market: 'stock',
    symbol: 'msft',
    venue: 'NASDAQ',
    horizon_kind: 'trading_days',
    horizon_value: 3,
    key_factors: [{ factor: 'earnings', source: { name: 'a private source' } }],
    price_targets: { targets: [{ price: 45 }], stop_loss: { price: 30, kind: 'hard' } },
    invalidation: [{ kind: 'drops_below', threshold: 20 }],
    summary: 'only for its owner',
  });

describe.each(STORAGES)('the life of a record, on %s', (storage) => {
  let service: TestService;
  let agent: TestAgent;
  let others: readonly ((record_id: string) => Promise<{ status: number; body: Record<string, never> }>)[];
  beforeEach(async () => {
    service = await openService(storage, { at: MONDAY, env: { LIMIT_COOLDOWN_SECONDS: '0' } });
    agent = await anAgentAt(service);
    const stranger = await anAgentAt(service);
    const nobody = strangerAt(service);
    others = [stranger.read, stranger.state, nobody.read, nobody.state];
  });
  afterEach(() => service.close());

  const submitted = async (body: object): Promise<string> => (await agent.submit(body)).body.record_id;
  const stateOf = async (record_id: string) => {
    const { body } = await agent.state(record_id);
    return [body.lifecycle_state, body.state, body.next_check_at, body.outcome !== undefined];
  };
  const hidden = async (record_id: string) => {
    for (const look of others) expect((await look(record_id)).status).toBe(404);
  };

  test('pending_verify, verified, awaiting, evaluated; public only at the end', async () => {
    const record_id = await submitted(msft(MONDAY));
    expect(await stateOf(record_id)).toEqual(['pending_verify', 'awaiting_verification', null, false]);
    await hidden(record_id);
    await service.settle();
    const settles = '2014-06-05T20:30:00.000Z';
    expect(await stateOf(record_id)).toEqual(['verified', 'tracking', settles, false]);
    await service.arrange.freeze(new Date('2014-06-05T20:00:00.000Z'));
    await service.settle();
    expect(await stateOf(record_id)).toEqual(['verified', 'awaiting_evaluation', settles, false]);
    await hidden(record_id);
    await service.arrange.freeze(new Date('2014-06-07T00:00:00.000Z'));
    await service.settle();
    expect(await stateOf(record_id)).toEqual(['evaluated', 'closed', null, true]);
    for (const look of others) expect((await look(record_id)).status).toBe(200);
  });

  test('what the owner sees of an evaluated record, and what others see', async () => {
    const record_id = await submitted(msft(MONDAY));
    await service.settle();
    await service.arrange.freeze(new Date('2014-06-07T00:00:00.000Z'));
    await service.settle();
    const [owner, state] = [await agent.read(record_id), await agent.state(record_id)].map(({ body }) => body);
    expect(owner).toMatchObject({ view: 'owner', symbol: 'MSFT', summary: 'only for its owner' });
    expect(owner.key_factors[0].source).toEqual({ name: 'a private source' });
    expect(owner.outcome.bars).toHaveLength(3);
    expect(owner.outcome.levels).toMatchObject({ first_touch: null, time_to_target: null, time_to_stop: null });
    expect(state.outcome.result_bucket).toBe(owner.result_bucket);
    const [detail, publicState, anonymous, anonymousState] = await Promise.all(others.map((look) => look(record_id)));
    expect([anonymous?.body, anonymousState?.body]).toEqual([detail?.body, publicState?.body]);
    const { outcome, ...shown } = detail?.body ?? {};
    const { bars: _, levels: __, reference_price: ___, knowledge_overlap: ____, left_out, ...graded } = owner.outcome;
    const { sources_after_cutoff: _____, ...facts } = graded;
    expect(left_out).toEqual([]);
    expect(outcome).toEqual(facts);
    expect(Object.keys(shown).toSorted()).toEqual(PUBLIC_FIELDS);
    expect(shown).toMatchObject({ view: 'public', key_factors: [{ factor: 'earnings' }], related_records: [] });
    expect(publicState?.body).toEqual({
      view: 'public',
      ...Object.fromEntries(STANDING.map((field) => [field, state[field]])),
      outcome: { result_bucket: owner.result_bucket, ...facts },
    });
  });

  test.each([
    ['2014-06-01', false],
    ['2014-06-02', true],
    ['2014-06-02T15:00:00Z', false],
  ])(
    'a knowledge_cutoff of %s comes back as it was sent; knowledge_overlap is %s',
    async (knowledge_cutoff, overlap) => {
      const record_id = await submitted({ ...msft(MONDAY), model: { knowledge_cutoff } });
      await service.settle();
      await service.arrange.freeze(new Date('2014-06-07T00:00:00.000Z'));
      await service.settle();
      const { body } = await agent.read(record_id);
      expect([body.model, body.outcome.knowledge_overlap]).toEqual([{ knowledge_cutoff }, overlap]);
    },
  );

  test.each([
    [['2014-06-02t12:00:00z', '2014-06-01T00:00:00+02:00'], 0],
    [['2014-06-03T00:00:00Z', undefined], 1],
    [[undefined], null],
  ])('sources dated %j: sources_after_cutoff is %s, in the detail of the owner alone', async (dates, count) => {
    const key_factors = dates.map((published_at) => ({
      factor: 'News',
      source: { name: 'Wire', ...(published_at && { published_at }) },
    }));
    const record_id = await submitted({ ...msft(MONDAY), key_factors });
    await service.settle();
    await service.arrange.freeze(new Date('2014-06-07T00:00:00.000Z'));
    await service.settle();
    const { body } = await agent.read(record_id);
    expect(body.outcome.sources_after_cutoff).toBe(count);
    const shown = await Promise.all(others.map((look) => look(record_id)));
    expect(JSON.stringify(shown)).not.toContain('sources_after_cutoff');
  });

  test('the time of the receipt is public to the minute only', async () => {
    const at = new Date('2014-06-02T15:00:59.999Z');
    await service.arrange.freeze(at);
    const record_id = await submitted(msft(at));
    await service.settle();
    await service.arrange.freeze(new Date('2014-06-07T00:00:00.000Z'));
    await service.settle();
    const { body } = await strangerAt(service).read(record_id);
    expect(body.submission_time).toBe('2014-06-02T15:00:00.000Z');
    expect((await agent.read(record_id)).body.submission_time).toBe(at.toISOString());
  });

  test('a pair that no source knows is rejected, and stays hidden', async () => {
    const record_id = await submitted(aSubmission(MONDAY, { symbol: 'NOSUCHCOIN' }));
    await service.settle();
    expect(await stateOf(record_id)).toEqual(['rejected', 'unavailable', null, false]);
    const { evaluation } = (await agent.state(record_id)).body;
    expect(evaluation.last_error).toBe('No source knows this instrument.');
    await hidden(record_id);
    expect((await agent.batch([record_id])).body.items[0].reason).toBe('not_public');
  });

  /** The Monday after the last packaged price of MSFT. */
  const LATE = new Date('2014-08-11T15:00:00.000Z');

  test('without prices that may still come the grading is deferred several times, then the record is data_unavailable', async () => {
    const growing = await openService(storage, {
      at: LATE,
      ports: ({ marketData }) => ({
        marketData: { ...marketData, coverage: async () => [openCoverage('bar-files', () => 0)] },
      }),
    });
    const scout = await anAgentAt(growing);
    const { record_id } = (await scout.submit(msft(LATE))).body;
    await growing.settle();
    const waits = [];
    for (let looks = 0; looks < 20; looks++) {
      const { body } = await scout.state(record_id);
      if (body.lifecycle_state === 'data_unavailable') break;
      await growing.arrange.freeze(new Date(body.next_check_at));
      await growing.settle();
      const { body: after } = await scout.state(record_id);
      waits.push([after.lifecycle_state, after.evaluation.attempts, waitOf(body.next_check_at, after.next_check_at)]);
    }
    expect(waits.filter(([state]) => state === 'deferred')).toEqual([
      ['deferred', 1, 5 * MINUTE],
      ['deferred', 2, 15 * MINUTE],
      ['deferred', 3, HOUR],
      ['deferred', 4, 6 * HOUR],
      ['deferred', 5, 24 * HOUR],
      ['deferred', 6, 24 * HOUR],
      ['deferred', 7, 24 * HOUR],
    ]);
    const { body } = await scout.read(record_id);
    expect(body.lifecycle_state).toBe('data_unavailable');
    expect(body.evaluation).toMatchObject({ next_check_at: null, last_error: expect.any(String) });
    expect((await strangerAt(growing).read(record_id)).status).toBe(404);
    await growing.close();
  });

  test('a window after the last price of the only source ends with the reason when it settles, not days later', async () => {
    await service.arrange.freeze(LATE);
    const record_id = await submitted(msft(LATE));
    await service.settle();
    await service.arrange.freeze(new Date((await agent.state(record_id)).body.next_check_at));
    await service.settle();
    await service.arrange.freeze(new Date((await agent.state(record_id)).body.next_check_at));
    await service.settle();
    const { body } = await agent.read(record_id);
    expect([body.lifecycle_state, body.evaluation]).toEqual([
      'data_unavailable',
      {
        attempts: 0,
        next_check_at: null,
        last_error:
          'not_covered: bar-files has 1d bars from 2000-01-03T14:30:00.000Z to 2014-08-08T20:00:00.000Z. The window is ' +
          'from 2014-08-11T15:00:00.000Z to 2014-08-14T20:00:00.000Z. An operator can import bars or set a source.',
        evaluated_at: null,
      },
    ]);
    await hidden(record_id);
  });

  test('a source that is down delays the verification until it is back', async () => {
    let down = true;
    const flaky = await openService(storage, {
      at: MONDAY,
      ports: ({ marketData }) => ({
        marketData: {
          ...marketData,
          async describe(instrument) {
            if (down) throw new SourceUnavailable('down');
            return marketData.describe(instrument);
          },
        },
      }),
    });
    const scout = await anAgentAt(flaky);
    const { body } = await scout.submit(msft(MONDAY));
    await flaky.settle();
    const { body: waiting } = await scout.state(body.record_id);
    const next_check_at = new Date(MONDAY.getTime() + MINUTE).toISOString();
    const evaluation = { attempts: 1, next_check_at, last_error: 'down', evaluated_at: null };
    expect(waiting).toMatchObject({
      state: 'awaiting_verification',
      next_check_at,
      poll_after_seconds: 60,
      evaluation,
    });
    expect((await scout.read(body.record_id)).body.evaluation).toEqual(evaluation);
    expect((await scout.get('/api/v1/agent/decisions')).body.items[0].evaluation).toEqual(evaluation);
    down = false;
    await flaky.arrange.advance(MINUTE);
    await flaky.settle();
    expect((await scout.state(body.record_id)).body.lifecycle_state).toBe('verified');
    await flaky.close();
  });

  test('quarantine hides an evaluated record from everybody except its owner, who sees the reason', async () => {
    const record_id = await submitted(msft(MONDAY));
    await service.settle();
    await service.arrange.freeze(new Date('2014-06-07T00:00:00.000Z'));
    await service.settle();
    await service.arrange.mark(record_id, { quarantine_reason: 'bad data' });
    await hidden(record_id);
    const { body } = await agent.read(record_id);
    expect([body.lifecycle_state, body.quarantine_reason]).toEqual(['quarantined', 'bad data']);
    expect(await stateOf(record_id)).toEqual(['quarantined', 'unavailable', null, false]);
  });

  test('an archived record stays readable by agents and public', async () => {
    const record_id = await submitted(msft(MONDAY));
    await service.settle();
    await service.arrange.freeze(new Date('2014-06-07T00:00:00.000Z'));
    await service.settle();
    await service.arrange.mark(record_id, { archived_at: new Date('2014-06-07T00:00:00.000Z') });
    expect((await agent.read(record_id)).body.archived_at).toBe('2014-06-07T00:00:00.000Z');
    expect((await agent.state(record_id)).status).toBe(200);
    for (const look of others) expect((await look(record_id)).status).toBe(200);
  });

  test('related records: others see the public ones only, and never supersedes', async () => {
    const first = await submitted(msft(MONDAY));
    await service.settle();
    await service.arrange.freeze(new Date('2014-06-07T00:00:00.000Z'));
    await service.settle();
    await service.arrange.advance(1);
    const open = await submitted(aSubmission(MONDAY, { symbol: 'NOSUCHCOIN' }));
    const links = [
      { record_id: first, relation: 'extends' },
      { record_id: first, relation: 'supersedes' },
      { record_id: open, relation: 'supports' },
    ];
    const record_id = await submitted({ ...msft(MONDAY), related_records: links });
    await service.settle();
    const byText = (a: object, b: object) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
    expect((await agent.read(record_id)).body.related_records.toSorted(byText)).toEqual(links.toSorted(byText));
    const { body } = await strangerAt(service).read(record_id);
    expect(body.related_records).toEqual([{ record_id: first, relation: 'extends' }]);
  });
});

const STANDING = [
  'record_id',
  'lifecycle_state',
  'state',
  'window',
  'expected_evaluation_at',
  'next_check_at',
] as const;

const PUBLIC_FIELDS = [
  'analysis_class',
  'asset_class',
  'cohort_key',
  'commitment',
  'created_regime',
  'created_regime_values',
  'data_cutoff',
  'direction',
  'evaluated_at',
  'horizon_kind',
  'horizon_value',
  'key_factors',
  'log',
  'market',
  'method',
  'perspective_type',
  'quote_currency',
  'record_id',
  'related_records',
  'result_bucket',
  'submission_origin',
  'submission_time',
  'symbol',
  'venue',
  'view',
  'window',
  'workflow_ref',
];

function waitOf(from: string, to: string | null): number | null {
  return to === null ? null : Date.parse(to) - Date.parse(from);
}
