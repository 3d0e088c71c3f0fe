import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { buildAtlas } from '../../../application/atlas/build-atlas.ts';
import { anAgentAt, strangerAt, type TestAgent } from '../../harness/callers.ts';
import { aPastCall, COHORTS_AT, gradedCalls, wisdom } from '../../harness/cohorts.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';

const BTC = { market: 'crypto', symbol: 'BTC', include_retroactive: 'true' };
const TWO_CALLS = [aPastCall(20), aPastCall(30, { direction: 'bearish' })];
const PROVIDER = {
  IDP_ISSUER: 'https://provider.example',
  IDP_CLIENT_ID: 'stancebook',
  IDP_CLIENT_SECRET: 'a-secret',
  IDP_AUDIENCE: 'stancebook',
};

describe.each(STORAGES)('with WISDOM_OWNER_PROOF=verified, on %s', (storage) => {
  let service: TestService;
  let reader: TestAgent;
  beforeEach(async () => {
    const limits = { LIMIT_COOLDOWN_SECONDS: '0', LIMIT_RETROACTIVE_PER_DAY: '1000' };
    service = await openService(storage, {
      at: COHORTS_AT,
      env: { ...limits, ...PROVIDER, WISDOM_OWNER_PROOF: 'verified' },
    });
    reader = await anAgentAt(service);
  });
  afterEach(() => service.close());

  const newAgents = (count: number, verified: boolean) =>
    Promise.all(Array.from({ length: count }, () => anAgentAt(service, { verified })));
  const overview = async (query: Parameters<typeof wisdom>[1] = BTC) => (await wisdom(reader, query)).body.overview;
  const seeds = async () => {
    await buildAtlas(service.ports);
    const { body } = await strangerAt(service).get('/api/v1/public/atlas/seeds?include_retroactive=true');
    return body.items.length;
  };

  test('ten free accounts open no cohort; the fifth verified owner does, and all decisions are in it', async () => {
    await gradedCalls(service, await newAgents(10, false), TWO_CALLS);
    expect(await overview()).toMatchObject({
      sample_count: null,
      suppression: {
        reason: 'too_few_producers',
        message:
          'Without result_bucket, method, grid and time bounds, the records that match have fewer than 5 owners with a verified identity.',
        min_producers: 5,
      },
    });
    await gradedCalls(service, await newAgents(4, true), TWO_CALLS);
    expect([(await overview()).sample_count, await seeds()]).toEqual([null, 0]);
    const [fifth] = await newAgents(1, true);
    await gradedCalls(service, fifth ? [fifth] : [], TWO_CALLS);
    expect(await overview()).toMatchObject({ sample_count: 30, suppression: { applied: false } });
    expect(await seeds()).toBeGreaterThan(0);
    await service.operators.ownerAdministration.remove(fifth?.owner_id ?? '');
    expect((await overview()).suppression.reason).toBe('too_few_producers');
    expect(await seeds()).toBe(0);
  });

  test('the largest owner is the one with the most decisions, verified or not', async () => {
    const calls = (count: number) => Array.from({ length: count }, (_, i) => aPastCall(20 + i));
    await gradedCalls(service, await newAgents(5, true), calls(3));
    await gradedCalls(service, await newAgents(1, false), calls(15));
    expect(await overview()).toMatchObject({ sample_count: 30, largest_owner_share: 'more' });
  });

  test('a part of a cohort needs five verified owners in a whole period of its own', async () => {
    const old = [aPastCall(100), aPastCall(101)];
    await gradedCalls(service, await newAgents(5, true), old);
    const recent = await newAgents(5, false);
    await gradedCalls(service, recent, TWO_CALLS);
    const since = { ...BTC, data_cutoff_since: '2017-04-01T00:00:00Z' };
    expect((await overview()).sample_count).toBe(20);
    const { suppression } = await overview(since);
    expect([suppression.reason, suppression.message]).toEqual([
      'narrowed_too_far',
      expect.stringContaining('at least 10 records and 5 owners with a verified identity'),
    ]);
    await gradedCalls(service, await newAgents(5, true), TWO_CALLS);
    expect((await overview(since)).sample_count).toBe(20);
  });
});
