import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { buildAtlas } from '../../../application/atlas/build-atlas.ts';
import { quarantineDecision, releaseDecision } from '../../../application/decisions/moderate-decision.ts';
import { DAY, MINUTE } from '../../../domain/time.ts';
import { auditedModeration } from '../../builders/audited-moderation.ts';
import { anAgentAt, strangerAt, type TestAgent } from '../../harness/callers.ts';
import { COHORTS_AT as AT, aPastCall, gradedCalls } from '../../harness/cohorts.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';

const BTC = 'instrument:crypto:BTC:COINBASE:spot:USD';
/** All within one UTC month of data, of two regimes. */
const CALLS = [aPastCall(20, { perspective_type: 'technical' }), aPastCall(30, { direction: 'bearish' })];

describe.each(STORAGES)('the atlas, on %s', (storage) => {
  let service: TestService;
  let agents: readonly TestAgent[];
  beforeEach(async () => {
    service = await openService(storage, {
      at: AT,
      env: { LIMIT_COOLDOWN_SECONDS: '0', LIMIT_RETROACTIVE_PER_DAY: '1000' },
    });
    agents = await Promise.all(Array.from({ length: 5 }, () => anAgentAt(service)));
  });
  afterEach(() => service.close());

  const askAsSent = (path: string) => strangerAt(service).get(`/api/v1/public/atlas/${path}`);
  /** Includes retroactive decisions, as most of these tests do. */
  const ask = (path: string, etag = '') =>
    askAsSent(path).query({ include_retroactive: 'true' }).set('if-none-match', etag);
  const bodyOf = async (path: string, send = ask) => {
    const { status, body, text } = await send(path);
    if (status !== 200) throw new Error(text);
    return body;
  };
  const seedIds = async (query = '?limit=50'): Promise<string[]> =>
    (await bodyOf(`seeds${query}`)).items.map((seed: { record: { record_id: string } }) => seed.record.record_id);

  test('503 and when to come back before the first build; the first sweep builds it', async () => {
    for (const path of ['network', 'seeds', 'seeds?limit=0']) {
      const { status, body, headers } = await ask(path);
      expect([status, body.error.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
      expect(headers['retry-after']).toBe(String(body.error.retry_after_seconds));
      expect(headers['cache-control']).toBe('no-store');
    }
    await service.settle();
    expect(await bodyOf('network')).toEqual({ generated_at: AT.toISOString(), nodes: [], edges: [] });
    expect(await bodyOf('seeds')).toEqual({ generated_at: AT.toISOString(), items: [] });
  });

  test('retroactive decisions count only where the request includes them', async () => {
    await gradedCalls(service, agents, CALLS);
    const nothing = { generated_at: expect.any(String) };
    for (const query of ['', '?include_retroactive=false']) {
      expect(await bodyOf(`network${query}`, askAsSent)).toEqual({ ...nothing, nodes: [], edges: [] });
      expect(await bodyOf(`seeds${query}`, askAsSent)).toEqual({ ...nothing, items: [] });
    }
    expect((await bodyOf('network')).nodes).toHaveLength(1);
  });

  test('without retroactive decisions the atlas contains the others alone, with the counts that the query returns', async () => {
    const technical = { perspective_type: 'technical' } as const;
    await gradedCalls(service, agents, [aPastCall(20, technical), aPastCall(30, technical)]);
    await gradedCalls(service, agents, [aPastCall(0), aPastCall(0, { direction: 'bearish' })]);
    await service.arrange.advance(4 * DAY);
    await service.settle();
    await buildAtlas(service.ports);
    const idsOf = ({ nodes }: { nodes: readonly { id: string }[] }) => nodes.map(({ id }) => id);
    expect(idsOf(await bodyOf('network', askAsSent))).toEqual([BTC]);
    expect(idsOf(await bodyOf('network'))).toEqual([BTC, 'perspective:technical']);
    const { items } = await bodyOf('seeds', askAsSent);
    expect(items.length).toBeGreaterThan(0);
    for (const { record, overview, query, wisdom_url } of items) {
      expect([record.submission_origin, overview.retroactive_count, overview.sample_count]).toEqual([
        'realtime',
        0,
        10,
      ]);
      expect(query.include_retroactive).toBe(false);
      const { windows, ...queried } = (await (agents[0] as TestAgent).get(wisdom_url)).body.overview;
      expect({ ...queried, windows: null }).toEqual(overview);
      expect(windows.instruments).toBe(1);
    }
    expect((await bodyOf('seeds?node=perspective:technical', askAsSent)).items).toEqual([]);
    const [looking] = (await bodyOf('seeds?node=perspective:technical')).items;
    expect([looking.record.submission_origin, looking.overview.sample_count]).toEqual(['retroactive', 20]);
  });

  test('four producers show nothing; the fifth is shown by the next sweep, in bands', async () => {
    await gradedCalls(service, agents.slice(0, 4), [...CALLS, aPastCall(40)]);
    expect((await bodyOf('network')).nodes).toEqual([]);
    expect(await seedIds()).toEqual([]);
    await gradedCalls(service, agents.slice(4), [...CALLS, aPastCall(40)]);
    await buildAtlas(service.ports);
    expect((await bodyOf('network')).nodes).toEqual([
      { id: BTC, kind: 'instrument', label: 'BTC/USD COINBASE spot', count_band: '10-49' },
    ]);
    expect((await bodyOf('network')).edges).toEqual([]);
  });

  test('a seed contains what its wisdom query returns, and no id of an owner or agent', async () => {
    await gradedCalls(service, agents, CALLS);
    const { items } = await bodyOf('seeds');
    expect(items.length).toBeGreaterThan(1);
    for (const { record, overview, query, wisdom_url, nodes } of items) {
      const { body } = await (agents[0] as TestAgent).get(wisdom_url);
      const { cohort_current_regime: _, ...row } = body.items.find(
        (item: { record_id: string }) => item.record_id === record.record_id,
      );
      // The overlap of windows is counted for a query, not for a seed.
      expect(body.overview.windows.instruments).toBe(1);
      expect([record, overview, nodes]).toEqual([row, { ...body.overview, windows: null }, [BTC]]);
      expect(body.query).toMatchObject(query);
    }
    for (const agent of agents) expect(JSON.stringify(items)).not.toMatch(agent.owner_id);
    for (const agent of agents) expect(JSON.stringify(items)).not.toMatch(agent.agent_id);
  });

  test('seeds: 12 by default, at most 50, none for 0, 400 for what is no number or no node', async () => {
    await gradedCalls(
      service,
      agents,
      [20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31].map((days) => aPastCall(days)),
    );
    const all = await seedIds();
    expect(all.length).toBeLessThanOrEqual(50);
    expect(await seedIds('')).toEqual(all.slice(0, 12));
    expect(await seedIds('?limit=2')).toEqual(all.slice(0, 2));
    expect(await seedIds('?limit=0')).toEqual([]);
    expect(await seedIds('?limit=9007199254740991')).toEqual(all);
    expect(await seedIds('?limit=9223372036854775807')).toEqual(all);
    expect(await seedIds(`?node=${BTC}`)).toEqual(all.slice(0, 12));
    expect(await seedIds('?node=perspective:macro')).toEqual([]);
    for (const query of [
      'limit=-1',
      'limit=9223372036854775808',
      'limit=x',
      'limit=1.5',
      'limit=',
      'node=BTC',
      'node=',
      'limit=1&limit=2',
      'x=1',
    ]) {
      const { status, body } = await ask(`seeds?${query}`);
      expect([query, status, body.error.code]).toEqual([query, 400, 'VALIDATION_ERROR']);
    }
    expect((await ask('network?limit=1')).status).toBe(400);
    const flags = ['include_retroactive=TRUE', 'include_retroactive=', 'include_retroactive=1'];
    for (const query of [...flags, 'include_retroactive=true&include_retroactive=true']) {
      for (const path of ['network', 'seeds']) {
        expect([query, path, (await askAsSent(`${path}?${query}`)).status]).toEqual([query, path, 400]);
      }
    }
  });

  test('304 for a caller with the current ETag, with all limit headers; a new ETag once the content changes', async () => {
    await gradedCalls(service, agents, CALLS);
    for (const path of ['network', 'seeds']) {
      const { headers } = await ask(path);
      expect(headers['cache-control']).toBe(
        path === 'seeds' ? 'public, max-age=0, must-revalidate' : 'public, max-age=60, must-revalidate',
      );
      const again = await ask(path, headers.etag);
      expect([again.status, again.text, again.headers.etag]).toEqual([304, '', headers.etag]);
      for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-quota-resource', 'x-request-id']) {
        expect(again.headers[name]).toBeDefined();
      }
      await service.arrange.advance(15 * MINUTE);
      await service.settle();
      expect((await ask(path, headers.etag)).status).toBe(200);
    }
  });

  test('a record is gone from the seeds with the reply to its quarantine, even for a caller with an old ETag; the next sweep shows the others', async () => {
    await gradedCalls(service, agents, [...CALLS, aPastCall(40)]);
    const [shown] = await seedIds();
    const { headers } = await ask('seeds?limit=50');
    const before = await seedIds();
    await quarantineDecision(service.ports, shown ?? '', 'a test', 'test');
    const after = await ask('seeds?limit=50', headers.etag);
    expect([after.status, after.text.includes(shown ?? '')]).toEqual([200, false]);
    await service.settle();
    const ids = await seedIds();
    expect([ids.length > 0, ids.includes(shown ?? '')]).toEqual([true, false]);
    await releaseDecision(service.ports, shown ?? '', 'test');
    expect(await seedIds()).toEqual([]);
    await service.settle();
    expect(await seedIds()).toEqual(before);
  });

  test('a seed is no longer shown once its cohort is withheld, even before the next build', async () => {
    const ids = await gradedCalls(service, agents, CALLS);
    expect((await seedIds()).length).toBeGreaterThan(0);
    const { clock } = service.ports;
    await auditedModeration(service.ports).quarantine(ids.at(-1) ?? '', 'a test', await clock.now());
    expect(await seedIds()).toEqual([]);
  });
});
