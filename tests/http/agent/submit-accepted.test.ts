import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import canonicalize from 'canonicalize';
import { acceptedReply } from '../../../domain/decisions/submission/receipt.ts';
import { MINUTE } from '../../../domain/time.ts';
import { aSubmission, hindsight } from '../../builders/decisions.ts';
import { anAgentAt } from '../../harness/callers.ts';
import { coveredPrices } from '../../harness/covered-prices.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';

/** Within the packaged prices of bitcoin. */
const AT = new Date('2017-06-05T12:00:00.000Z');

describe.each(STORAGES)('an accepted submission, on %s', (storage) => {
  let service: TestService;
  beforeAll(async () => {
    service = await openService(storage, { at: AT, ports: coveredPrices });
  });
  afterAll(() => service.close());

  test('201 with every field, and the same in the owner detail', async () => {
    const agent = await anAgentAt(service);
    const { status, body } = await agent.submit(aSubmission(AT));
    expect(status).toBe(201);
    expect(body).toEqual({
      record_id: expect.stringMatching(/^dec_20170605_[0-9a-f]{8}$/),
      lifecycle_state: 'pending_verify',
      submission_time: '2017-06-05T12:00:00.000Z',
      submission_origin: 'realtime',
      cohort_key: 'crypto:btc:spot:usd:bullish:intraday:opinion',
      retroactive: false,
      window: { anchor_time: '2017-06-05T12:00:00.000Z', end_time: '2017-06-05T13:00:00.000Z' },
      expected_evaluation_at: '2017-06-05T13:03:00.000Z',
      poll_after_seconds: 2,
      state_url: `/api/v1/agent/decisions/${body.record_id}/state`,
      workflow_attribution: null,
      commitment: expect.stringMatching(/^[0-9a-f]{64}$/),
      receipt: null,
      warnings: [{ code: 'INSTRUMENT_UNVERIFIED', message: expect.any(String) }],
    });
    const { body: detail } = await agent.read(body.record_id);
    for (const field of ['record_id', 'submission_time', 'cohort_key', 'window', 'commitment', 'lifecycle_state']) {
      expect([field, detail[field]]).toEqual([field, body[field]]);
    }
    expect((await agent.get(body.state_url)).status).toBe(200);
  });

  test('the owner can open the commitment, and it seals the body as sent in RFC 8785 form', async () => {
    const agent = await anAgentAt(service);
    const sent = { ...aSubmission(AT), summary: 'Größer — \u3000 "quoted"', meta: { z: 1e21, a: [0.1, -0, 5e-324] } };
    const shuffled = Object.fromEntries(Object.entries(sent).reverse());
    const { body } = await agent.submit(JSON.stringify(shuffled, null, 2));
    const { body: detail } = await agent.read(body.record_id);
    const { salt, statement } = detail.commitment_opening;
    const { record_id, submission_time, commitment } = body;
    const said = { ...sent, meta: JSON.stringify(sent.meta) };
    expect(statement).toBe(canonicalize({ body: said, record_id, submission_time }));
    expect(Buffer.from(salt, 'hex')).toHaveLength(32);
    const opened = createHash('sha256').update(Buffer.from(salt, 'hex')).update(statement).digest('hex');
    expect([opened, detail.commitment]).toEqual([commitment, commitment]);
  });

  test('the owner reads every field as it was sent', async () => {
    const agent = await anAgentAt(service);
    const { body: earlier } = await agent.submit(aSubmission(AT, { direction: 'bearish' }));
    const everything = {
      ...aSubmission(AT),
      symbol: ' btc-usd ',
      analysis_class: 'trade_plan',
      perspective_type: 'macro',
      key_factors: [
        'short',
        {
          factor: 'long',
          id: 'a',
          dimension: 'price',
          direction: 'neutral',
          weight: 0,
          metric: { name: 'RSI', value: '70', unit: '%' },
          source: { name: 'desk', url: 'https://example.com/x?y=1', published_at: '2017-06-05T11:00:00+02:00' },
        },
        { factor: 'third', depends_on: ['a'] },
      ],
      reference_price: 2_500.5,
      price_targets: {
        entry: 2_500,
        targets: [{ price: 2_600, size_pct: 50 }, { price: 2_700 }],
        stop_loss: { price: 2_400, kind: 'trailing' },
      },
      invalidation: [
        { kind: 'drops_below', threshold: 2_300 },
        { kind: 'rises_above', threshold: 3_000 },
      ],
      execution_info: { executed: true, fill_price: 2_501, fill_time: '2017-06-05T11:59:59Z', quantity: 0.1, fees: 0 },
      service_interaction: { consulted: true, wisdom_queries: 2, record_ids: [earlier.record_id], note: 'n' },
      related_records: [{ record_id: earlier.record_id, relation: 'contradicts' }],
      confidence: 1,
      model: { id: 'm', knowledge_cutoff: '2017-01-01T00:00:00Z' },
      summary: 's',
      tags: ['t'],
      inputs: [
        { kind: 'prompt', name: 'system.md', sha256: '0a'.repeat(32) },
        { kind: 'data', name: 'system.md', sha256: '0a'.repeat(32) },
      ],
      meta: { deep: { any: [null, true] }, constructor: 'x' },
    };
    const { status, body } = await agent.submit(everything);
    expect([status, body.error]).toEqual([201, undefined]);
    const { body: detail } = await agent.read(body.record_id);
    const { key_factors, symbol: _, data_cutoff, ...verbatim } = everything;
    expect(detail).toMatchObject(verbatim);
    expect(detail.symbol).toBe('BTC-USD');
    expect(detail.data_cutoff).toBe(new Date(data_cutoff).toISOString());
    expect(detail.key_factors).toEqual([{ factor: 'short' }, ...key_factors.slice(1)]);
    expect(detail.agent_id).toBe(agent.agent_id);
  });

  test('data older than two hours makes crypto retroactive, anchored at the data', async () => {
    const agent = await anAgentAt(service);
    const [edge, stale] = [120 * MINUTE, 120 * MINUTE + 1].map((age) => new Date(AT.getTime() - age));
    const { body: realtime } = await agent.submit(aSubmission(edge ?? AT));
    expect([realtime.submission_origin, realtime.window.anchor_time]).toEqual(['realtime', AT.toISOString()]);
    const { body: late } = await agent.submit(aSubmission(stale ?? AT, { direction: 'bearish' }));
    expect([late.submission_origin, late.retroactive, late.window.anchor_time]).toEqual([
      'retroactive',
      true,
      stale?.toISOString(),
    ]);
  });

  test('the receipt of a decision that can be graded at once says to check in two seconds', async () => {
    const agent = await anAgentAt(service);
    const { body } = await agent.submit(hindsight(AT));
    expect(body.expected_evaluation_at).toBe(AT.toISOString());
    const { body: state } = await agent.state(body.record_id);
    expect(state.expected_evaluation_at).toBe(AT.toISOString());
    expect(body.poll_after_seconds).toBe(2);
  });

  test('a verified instrument is not verified again for 24 hours', async () => {
    const agent = await anAgentAt(service);
    await agent.submit(aSubmission(AT));
    await service.settle();
    const { body } = await agent.submit(aSubmission(AT, { direction: 'neutral' }));
    expect([body.lifecycle_state, body.warnings, body.poll_after_seconds]).toEqual(['verified', [], 3_600]);
  });

  test('the stored receipt gives the same reply', async () => {
    const agent = await anAgentAt(service);
    const { body } = await agent.submit(aSubmission(AT), { 'Idempotency-Key': 'k' });
    const recorded = await service.ports.intake.recorded(agent.agent_id, 'k');
    if (!recorded) throw new Error('Nothing is recorded.');
    expect(JSON.parse(JSON.stringify(acceptedReply(recorded.receipt)))).toEqual(body);
  });
});
