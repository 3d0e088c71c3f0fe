import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { quarantineDecision, releaseDecision } from '../../../application/decisions/moderate-decision.ts';
import { DAY, MINUTE, SECOND } from '../../../domain/time.ts';
import { aSubmission } from '../../builders/decisions.ts';
import { anAgentAt, strangerAt, type TestAgent } from '../../harness/callers.ts';
import { COHORTS_AT as AT, aPastCall, gradedCalls } from '../../harness/cohorts.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';

describe.each(STORAGES)('the newest public decisions, on %s', (storage) => {
  let service: TestService;
  let agent: TestAgent;
  beforeEach(async () => {
    const env = { LIMIT_COOLDOWN_SECONDS: '0', LIMIT_RETROACTIVE_PER_DAY: '1000' };
    service = await openService(storage, { at: AT, env });
    agent = await anAgentAt(service);
  });
  afterEach(() => service.close());

  const ask = (query = '', etag = '') =>
    strangerAt(service).get(`/api/v1/public/decisions${query}`).set('if-none-match', etag);
  const idsOf = async (query = ''): Promise<string[]> => {
    const { status, body, text } = await ask(query);
    if (status !== 200) throw new Error(text);
    return body.items.map(({ record_id }: { record_id: string }) => record_id);
  };

  test('an empty list without public decisions, also while one is open', async () => {
    expect(await idsOf()).toEqual([]);
    await agent.submit(aSubmission(AT));
    await service.settle();
    await service.arrange.advance(MINUTE);
    expect(await idsOf()).toEqual([]);
  });

  test('the only decision of the only owner is listed, as a row of a cohort, without its owner', async () => {
    const [id = ''] = await gradedCalls(service, [agent], [aPastCall(20)]);
    await service.arrange.advance(MINUTE);
    const { status, body, headers, text } = await ask();
    expect(status).toBe(200);
    const { body: detail } = await strangerAt(service).read(id);
    expect(body.items).toHaveLength(1);
    const { path, ...row } = body.items[0];
    expect(detail).toMatchObject(row);
    expect(path.raw_return).toBe(detail.outcome.raw_return);
    expect(text).not.toContain(agent.agent_id);
    expect(headers['cache-control']).toBe('public, max-age=0, must-revalidate');
    expect(headers['x-quota-resource']).toBe('none');
    expect((await ask('', String(headers.etag))).status).toBe(304);
  });

  test('a decision is listed from the minute on that others see as the time of its evaluation', async () => {
    await service.arrange.advance(20 * SECOND);
    const [id = ''] = await gradedCalls(service, [agent], [aPastCall(20)]);
    const { body } = await strangerAt(service).read(id);
    expect(await idsOf()).toEqual([]);
    await service.arrange.freeze(new Date(Date.parse(body.evaluated_at) - 1));
    expect(await idsOf()).toEqual([]);
    await service.arrange.freeze(new Date(body.evaluated_at));
    expect(await idsOf()).toEqual([id]);
  });

  test('the newest data first, of both markets, at most 12 by default and 50 at all', async () => {
    const calls = Array.from({ length: 13 }, (_, index) => aPastCall(10 + index));
    const ids = await gradedCalls(service, [agent], calls);
    await service.arrange.advance(MINUTE);
    expect(await idsOf()).toEqual(ids.slice(0, 12));
    expect(await idsOf('?limit=50')).toEqual(ids);
    expect(await idsOf('?limit=1000')).toEqual(ids);
    expect(await idsOf('?limit=1')).toEqual(ids.slice(0, 1));
    expect(await idsOf('?limit=0')).toEqual([]);
    const stock = { market: 'stock', symbol: 'MSFT', venue: 'NASDAQ', asset_class: 'spot', quote_currency: 'USD' };
    const horizon = { horizon_kind: 'trading_days', horizon_value: 1 } as const;
    const data_cutoff = '2014-06-02T15:00:00Z';
    const [old = ''] = await gradedCalls(service, [agent], [aPastCall(20, { ...stock, ...horizon, data_cutoff })]);
    await service.arrange.advance(MINUTE);
    const dates = (await ask('?limit=50')).body.items.map((item: { data_cutoff: string }) => item.data_cutoff);
    expect(dates).toEqual(dates.toSorted().toReversed());
    expect(await idsOf('?limit=50')).toContain(old);
  });

  test('a quarantine removes a decision at once, a release puts it back', async () => {
    const [id = ''] = await gradedCalls(service, [agent], [aPastCall(20)]);
    await service.arrange.advance(DAY);
    expect(await idsOf()).toEqual([id]);
    await quarantineDecision(service.ports, id, 'a stolen key', 'test');
    expect(await idsOf()).toEqual([]);
    await releaseDecision(service.ports, id, 'test');
    expect(await idsOf()).toEqual([id]);
  });

  test.each(['?limit=x', '?limit=-1', '?market=stock', '?limit=1&limit=2'])('400 for %s', async (query) => {
    const { status, body } = await ask(query);
    expect([status, body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
  });
});
