import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import type { Submission } from '../../../domain/decisions/submission/submission.ts';
import { HOUR, MINUTE, SECOND } from '../../../domain/time.ts';
import { aSubmission, hindsight } from '../../builders/decisions.ts';
import { anAgentAt } from '../../harness/callers.ts';
import { coveredPrices } from '../../harness/covered-prices.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';

const AT = new Date('2017-06-05T12:20:00.000Z');
const later = (millis: number) => new Date(AT.getTime() + millis);

describe.each(STORAGES)('the limits of submissions, on %s', (storage) => {
  let service: TestService;
  beforeEach(async () => {
    service = await openService(storage, {
      ports: coveredPrices,
      at: AT,
      env: { LIMIT_SUBMITS_PER_HOUR: '3', LIMIT_RETROACTIVE_PER_DAY: '2' },
    });
  });
  afterEach(() => service.close());

  test('429 DUPLICATE_SUBMISSION contains the record that holds the cooldown and the remaining seconds', async () => {
    const agent = await anAgentAt(service);
    const { body: first } = await agent.submit(aSubmission(AT));
    await service.arrange.advance(MINUTE + 1);
    const refused = await agent.submit(aSubmission(AT));
    expect(refused.status).toBe(429);
    expect(refused.body.error).toMatchObject({ code: 'DUPLICATE_SUBMISSION', category: 'retryable' });
    expect([refused.body.error.retry_after_seconds, refused.headers['retry-after']]).toEqual([840, '840']);
    expect(refused.body.error.details).toEqual([expect.objectContaining({ record_id: first.record_id })]);
    await service.arrange.freeze(later(15 * MINUTE - 1));
    expect((await agent.submit(aSubmission(AT))).status).toBe(429);
    await service.arrange.freeze(later(15 * MINUTE));
    expect((await agent.submit(aSubmission(AT))).status).toBe(201);
  });

  test.each([
    { symbol: 'BTC-USDT', quote_currency: 'USDT' },
    { symbol: 'btcusdt', quote_currency: 'USDT' },
    { symbol: ' Btc/Usd ' },
    { symbol: 'BTCUSD' },
    { venue: 'KRAKEN' },
    { horizon_value: 7_200 },
  ])('the cooldown holds across spellings, venues, quotes and horizons: %j', async (changes) => {
    const agent = await anAgentAt(service);
    await agent.submit(aSubmission(AT));
    const venue = { venue: 'quote_currency' in changes ? 'BINANCE' : 'COINBASE' };
    const { status, body } = await agent.submit(aSubmission(AT, { ...venue, ...changes }));
    expect([status, body.error.code]).toEqual([429, 'DUPLICATE_SUBMISSION']);
  });

  test('another direction, symbol or agent of the same owner is not held', async () => {
    const agent = await anAgentAt(service);
    const mate = await anAgentAt(service, { mate: agent });
    await agent.submit(aSubmission(AT));
    expect((await agent.submit(aSubmission(AT, { direction: 'bearish' }))).status).toBe(201);
    expect((await agent.submit(aSubmission(AT, { symbol: 'ETH' }))).status).toBe(201);
    expect((await mate.submit(aSubmission(AT))).status).toBe(201);
  });

  test('429 SUBMIT_FREQUENCY_EXCEEDED until the end of the UTC hour, before the cooldown is looked at', async () => {
    const agent = await anAgentAt(service);
    for (const direction of ['bullish', 'bearish', 'neutral'] as const) {
      expect((await agent.submit(aSubmission(AT, { direction }))).status).toBe(201);
    }
    const refused = await agent.submit(aSubmission(AT));
    expect([refused.status, refused.body.error.code, refused.body.error.category]).toEqual([
      429,
      'SUBMIT_FREQUENCY_EXCEEDED',
      'retryable',
    ]);
    expect([refused.body.error.retry_after_seconds, refused.headers['retry-after']]).toEqual([2_400, '2400']);
    await service.arrange.freeze(later(40 * MINUTE));
    expect((await agent.submit(aSubmission(later(40 * MINUTE)))).status).toBe(201);
  });

  test('429 RETROACTIVE_QUOTA_EXCEEDED for the owner, until 00:00 UTC; realtime goes on', async () => {
    const agent = await anAgentAt(service);
    const mate = await anAgentAt(service, { mate: agent });
    expect((await agent.submit(hindsight(AT))).status).toBe(201);
    expect((await mate.submit(hindsight(AT))).status).toBe(201);
    const refused = await mate.submit(hindsight(AT, { symbol: 'ETH' }));
    expect([refused.status, refused.body.error.code, refused.body.error.category]).toEqual([
      429,
      'RETROACTIVE_QUOTA_EXCEEDED',
      'quota_exceeded',
    ]);
    expect(refused.body.error.retry_after_seconds).toBe((11 * HOUR + 40 * MINUTE) / SECOND);
    expect((await mate.submit(aSubmission(AT, { symbol: 'ETH' }))).status).toBe(201);
    const midnight = later(11 * HOUR + 40 * MINUTE);
    await service.arrange.freeze(midnight);
    expect((await mate.submit(hindsight(midnight, { symbol: 'XRP' }))).status).toBe(201);
  });

  test('would_wait of validate_only lists what a submission is refused with, each with its seconds', async () => {
    const agent = await anAgentAt(service);
    const draft = hindsight(AT, { symbol: 'BTC' });
    expect((await agent.preview(draft)).body.would_wait).toEqual([]);
    for (const symbol of ['BTC', 'ETH']) expect((await agent.submit(hindsight(AT, { symbol }))).status).toBe(201);
    const quota = { code: 'RETROACTIVE_QUOTA_EXCEEDED', retry_after_seconds: 42_000 };
    const cooldown = { code: 'DUPLICATE_SUBMISSION', retry_after_seconds: 900 };
    const frequency = { code: 'SUBMIT_FREQUENCY_EXCEEDED', retry_after_seconds: 2_400 };
    const steps = [
      [hindsight(AT, { symbol: 'XRP' }), [quota]],
      [draft, [cooldown, quota]],
      [aSubmission(AT, { symbol: 'SOL' }), []],
      [draft, [frequency, cooldown, quota]],
      [aSubmission(AT, { symbol: 'XRP' }), [frequency]],
    ] as const;
    for (const [body, waits] of steps) {
      const [first] = waits;
      expect((await agent.preview(body)).body.would_wait).toEqual(waits);
      const { status, headers, body: reply } = await agent.submit(body);
      expect(status).toBe(first ? 429 : 201);
      expect(reply.error).toEqual(first && expect.objectContaining(first));
      expect(headers['retry-after']).toBe(first && String(first.retry_after_seconds));
    }
  });

  test('the refusal of a group says how many decisions are left, and names no wait that ends nothing', async () => {
    const agent = await anAgentAt(service);
    const group = async (horizons: number, submission: Submission = aSubmission(AT)) => {
      const { horizon_kind, horizon_value, ...shared } = submission;
      const send = (query = '') =>
        request(service.app)
          .post(`/api/v1/agent/decision-groups${query}`)
          .set('x-api-key', agent.api_key)
          .send({
            ...shared,
            horizons: Array.from({ length: horizons }, (_, n) => ({
              horizon_kind,
              horizon_value: horizon_value * (n + 1),
            })),
          });
      const { status, headers, body } = await send();
      expect([status, body.error?.retry_after_seconds]).toEqual([429, Number(headers['retry-after']) || null]);
      const { code, message, suggestion, retry_after_seconds } = body.error;
      const refusal = { code, message, suggestion, retry_after_seconds };
      const preview = await send('?validate_only=true');
      expect([preview.status, preview.body]).toMatchObject(
        retry_after_seconds === null
          ? [429, { error: refusal }]
          : [200, { would_wait: expect.arrayContaining([{ code, retry_after_seconds }]) }],
      );
      return refusal;
    };
    const FREQUENCY = 'SUBMIT_FREQUENCY_EXCEEDED';
    expect(await group(8)).toEqual({
      code: FREQUENCY,
      message: 'An agent may submit 3 decisions in a UTC hour; 3 are left in this one, and this group needs 8.',
      suggestion: 'Send fewer horizons: at most 3.',
      retry_after_seconds: null,
    });
    expect(await group(3, hindsight(AT, { symbol: 'ETH' }))).toEqual({
      code: 'RETROACTIVE_QUOTA_EXCEEDED',
      message:
        'An owner may submit 2 retroactive decisions in a UTC day; 2 are left in this one, and this group needs 3.',
      suggestion: 'Send fewer horizons: at most 2, or submit realtime decisions.',
      retry_after_seconds: null,
    });
    const text = '\u6f22';
    const long = aSubmission(AT, {
      summary: text.repeat(4_000),
      key_factors: Array.from({ length: 10 }, (_, n) => `${n}${text.repeat(279)}`),
      meta: { note: 'x'.repeat(4_000) } as never,
    });
    expect(await group(3, long)).toEqual({
      code: FREQUENCY,
      message: expect.stringMatching(
        /^An agent may submit bodies of 65536 bytes in a UTC hour; 0 are used in this one, and this group needs 7\d{4}: each horizon counts the whole body\.$/,
      ),
      suggestion: 'Send fewer horizons, or a shorter body.',
      retry_after_seconds: null,
    });
    expect((await agent.submit(hindsight(AT))).status).toBe(201);
    expect(await group(2, hindsight(AT, { symbol: 'ETH' }))).toMatchObject({
      message: expect.stringContaining('; 1 is left in this one, and this group needs 2.'),
      suggestion: 'Wait for 00:00 UTC, or submit realtime decisions.',
      retry_after_seconds: 42_000,
    });
    expect(await group(3)).toMatchObject({
      message: expect.stringContaining('; 2 are left in this one, and this group needs 3.'),
      suggestion: 'Wait for the next UTC hour, or send fewer horizons: at most 2.',
      retry_after_seconds: 2_400,
    });
    const both = await group(2);
    const single = (await agent.submit(aSubmission(AT, { horizon_value: 7_200 }))).body.error;
    expect([both.code, single.code]).toEqual(['DUPLICATE_SUBMISSION', 'DUPLICATE_SUBMISSION']);
    for (const { suggestion } of [both, single]) expect(suggestion).toContain('POST /api/v1/agent/decision-groups');
  });

  test('validate_only reports the cooldown, ignores the limits, and stores nothing', async () => {
    const agent = await anAgentAt(service);
    const free = { active: false, retry_after_seconds: null, record_id: null };
    for (let i = 0; i < 5; i++) {
      const { status, body } = await agent.preview(hindsight(AT, { symbol: 'btc-usd' }));
      expect([status, body.cooldown]).toEqual([200, free]);
    }
    const { body: first } = await agent.submit(aSubmission(AT));
    await service.arrange.advance(MINUTE);
    const { status, body } = await agent.preview(aSubmission(AT));
    const held = { active: true, retry_after_seconds: 840, record_id: first.record_id };
    expect([status, body]).toEqual([
      200,
      {
        valid: true,
        normalized: {
          market: 'crypto',
          symbol: 'BTC',
          venue: 'COINBASE',
          asset_class: 'spot',
          quote_currency: 'USD',
          cohort_key: 'crypto:btc:spot:usd:bullish:intraday:opinion',
        },
        submission_origin: 'realtime',
        window: { anchor_time: later(MINUTE).toISOString(), end_time: later(HOUR + MINUTE).toISOString() },
        would_wait: [{ code: 'DUPLICATE_SUBMISSION', retry_after_seconds: 840 }],
        cooldown: held,
        warnings: [{ code: 'INSTRUMENT_UNVERIFIED', message: expect.any(String) }],
      },
    ]);
  });

  test('20 equal submissions at once become one record', async () => {
    const agent = await anAgentAt(service);
    const replies = await Promise.all(Array.from({ length: 20 }, () => agent.submit(aSubmission(AT))));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, ...Array(19).fill(429)]);
  });
});
