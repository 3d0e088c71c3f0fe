import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { MINUTE } from '../../../domain/time.ts';
import { aSubmission } from '../../builders/decisions.ts';
import { anAgentAt, type TestAgent } from '../../harness/callers.ts';
import { coveredPrices } from '../../harness/covered-prices.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';

const AT = new Date('2017-06-05T12:20:00.000Z');
const codesOf = ({ body }: { body: { warnings?: readonly { code: string }[] } }) =>
  body.warnings?.map(({ code }) => code).filter((code) => code !== 'INSTRUMENT_UNVERIFIED');

describe.each(STORAGES)('submissions and the state of the service, on %s', (storage) => {
  let service: TestService;
  let agent: TestAgent;
  beforeAll(async () => {
    service = await openService(storage, { at: AT, env: { LIMIT_COOLDOWN_SECONDS: '0' }, ports: coveredPrices });
    agent = await anAgentAt(service);
  });
  afterAll(() => service.close());

  const tether = aSubmission(AT, { venue: 'BINANCE', quote_currency: 'USDT' });

  describe('the circuit of the quote currency', () => {
    test.each([
      ['tripped', 'PEG_TRIPPED'],
      ['warming', 'PEG_WARMING'],
    ] as const)(
      '%s: the submission is isolated and has a warning, and validate_only returns the same',
      async (state, code) => {
        const snapshot = await service.arrange.circuit('USDT', state);
        const submitted = await agent.submit(tether);
        const previewed = await agent.preview(tether);
        expect([submitted.status, codesOf(submitted), codesOf(previewed)]).toEqual([201, [code], [code]]);
        const isolated = 'crypto:btc:spot:usdt:bullish:intraday:opinion';
        expect([submitted.body.cohort_key, previewed.body.normalized.cohort_key]).toEqual([isolated, isolated]);
        const { body } = await agent.read(submitted.body.record_id);
        expect(body.isolation_snapshot_id).toBe(snapshot);
        expect(codesOf(await agent.submit(aSubmission(AT)))).toEqual([]);
      },
    );

    test('normal again: the coin folds into usd', async () => {
      await service.arrange.circuit('USDT', 'tripped');
      await service.arrange.circuit('USDT', 'normal');
      const { body } = await agent.submit(tether);
      expect([body.cohort_key, codesOf({ body })]).toEqual(['crypto:btc:spot:usd:bullish:intraday:opinion', []]);
      expect((await agent.read(body.record_id)).body.isolation_snapshot_id).toBeNull();
    });

    test('422 STABLECOIN_CIRCUIT_OPEN where tripped coins are refused; warming ones are not', async () => {
      const strict = await openService(storage, { at: AT, env: { CIRCUIT_TRIPPED_SUBMITS: 'refuse' } });
      const scout = await anAgentAt(strict);
      await strict.arrange.circuit('USDT', 'tripped');
      for (const refused of [await scout.submit(tether), await scout.preview(tether)]) {
        const { code, category, suggestion } = refused.body.error;
        expect([refused.status, code, category]).toEqual([422, 'STABLECOIN_CIRCUIT_OPEN', 'service_degraded']);
        expect(suggestion).toContain('USD');
      }
      await strict.arrange.circuit('USDT', 'warming');
      expect((await scout.submit(tether)).status).toBe(201);
      await strict.close();
    });
  });

  describe('workflow_ref', () => {
    test.each(['wf:', 'wf:123', `wf:${'A'.repeat(64)}`, `WF:${'a'.repeat(64)}`, 'nonsense', '', 'x'.repeat(9_000)])(
      '%j does not block the submission: it causes a warning and no attribution',
      async (workflow_ref) => {
        const { status, body } = await agent.submit(aSubmission(AT, { workflow_ref }));
        expect([status, codesOf({ body }), body.workflow_attribution]).toEqual([201, ['WORKFLOW_REF_INVALID'], null]);
      },
    );

    test('unknown, or private to somebody else: the same warning', async () => {
      const other = await anAgentAt(service);
      const hidden = await service.arrange.publish(other.owner_id, 'private');
      for (const hash of ['a'.repeat(64), hidden]) {
        const reply = await agent.submit(aSubmission(AT, { workflow_ref: `wf:${hash}` }));
        const { workflow_attribution } = reply.body;
        expect([codesOf(reply), workflow_attribution]).toEqual([['WORKFLOW_REF_UNRESOLVED'], null]);
        expect((await agent.read(reply.body.record_id)).body.workflow_ref).toBeNull();
      }
    });

    test('public, or private of the same owner: attributed', async () => {
      const other = await anAgentAt(service);
      const hashes = [
        await service.arrange.publish(other.owner_id, 'public'),
        await service.arrange.publish(agent.owner_id, 'private'),
      ];
      for (const hash of hashes) {
        const reply = await agent.submit(aSubmission(AT, { workflow_ref: `wf:${hash}` }));
        expect([codesOf(reply), reply.body.workflow_attribution]).toEqual([[], { hash }]);
        expect((await agent.read(reply.body.record_id)).body.workflow_ref).toBe(`wf:${hash}`);
      }
    });
  });

  describe('related_records', () => {
    const related = (record_id: string, relation = 'extends') => ({
      ...aSubmission(AT),
      related_records: [{ record_id, relation }],
    });

    test('422 with the same details for a record that does not exist and for one of another owner that is not public', async () => {
      const other = await anAgentAt(service);
      const { body: hidden } = await other.submit(aSubmission(AT));
      const details = [];
      for (const record_id of ['dec_20170605_00000000', hidden.record_id]) {
        for (const judge of [agent.submit, agent.preview]) {
          const { status, body } = await judge(related(record_id));
          expect([status, body.error.code]).toEqual([422, 'VALIDATION_ERROR']);
          details.push(JSON.stringify(body.error.details).replaceAll(record_id, 'ID'));
        }
      }
      expect(new Set(details).size).toBe(1);
    });

    test('together with other faults, only the invalid relations are reported', async () => {
      const { body: own } = await agent.submit(aSubmission(AT));
      const links = [own.record_id, 'dec_20170605_00000000'].map((record_id) => ({ record_id, relation: 'extends' }));
      const { body } = await agent.submit({ ...aSubmission(AT), confidence: 2, related_records: links });
      const paths = body.error.details.map(({ path }: { path: string }) => path);
      expect(paths).toEqual(['confidence', 'related_records.1.record_id']);
    });

    test('422 for a record that looks at later data', async () => {
      const { body: newer } = await agent.submit(aSubmission(new Date(AT.getTime() + 1)));
      const { status, body } = await agent.submit(related(newer.record_id));
      expect([status, body.error.details[0].path]).toEqual([422, 'related_records.0.record_id']);
    });

    test('supersedes only within the same agent', async () => {
      const mate = await anAgentAt(service, { mate: agent });
      const { body: theirs } = await mate.submit(aSubmission(AT));
      const { status, body } = await agent.submit(related(theirs.record_id, 'supersedes'));
      expect([status, body.error.details[0].path]).toEqual([422, 'related_records.0.relation']);
      expect((await agent.submit(related(theirs.record_id, 'references'))).status).toBe(201);
      const { body: own } = await agent.submit(aSubmission(AT));
      const taken = await agent.submit(related(own.record_id, 'supersedes'));
      expect(taken.status).toBe(201);
      const { body: detail } = await agent.read(taken.body.record_id);
      expect(detail.related_records).toEqual([{ record_id: own.record_id, relation: 'supersedes' }]);
    });
  });

  describe('the instrument and its calendar', () => {
    test('CALENDAR_GENERIC in a year whose holidays are unknown', async () => {
      const code = { market: 'stock', symbol: '600000', venue: 'SSE', quote_currency: 'CNY' };
      const far = {
        ...code,
        horizon_kind: 'trading_days',
        horizon_value: 5,
        data_cutoff: '1975-06-02T00:00:00Z',
      } as const;
      expect(codesOf(await agent.submit(aSubmission(AT, far)))).toEqual(['CALENDAR_GENERIC']);
    });

    test('INSUFFICIENT_HISTORY when the prices begin too late', async () => {
      await agent.submit(aSubmission(AT));
      await service.settle();
      const early = aSubmission(new Date('2016-07-05T00:00:00Z'));
      expect(codesOf(await agent.submit(early))).toEqual(['INSUFFICIENT_HISTORY']);
      expect(codesOf(await agent.submit(aSubmission(new Date('2016-09-05T00:00:00Z'))))).toEqual([]);
    });

    test('INSTRUMENT_UNVERIFIED again when the look is 24 hours old', async () => {
      await agent.submit(aSubmission(AT));
      await service.settle();
      const fresh = await agent.submit(aSubmission(AT));
      expect([fresh.body.lifecycle_state, fresh.body.warnings]).toEqual(['verified', []]);
      await service.arrange.advance(24 * 60 * MINUTE);
      const { body } = await agent.submit(aSubmission(new Date(AT.getTime() + 24 * 60 * MINUTE)));
      expect([body.lifecycle_state, body.warnings[0].code]).toEqual(['pending_verify', 'INSTRUMENT_UNVERIFIED']);
    });
  });
});
