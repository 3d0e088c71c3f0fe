import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { HadSaid } from '../../../domain/grading/bucket.ts';
import { MINUTE } from '../../../domain/time.ts';
import { aSubmission } from '../../builders/decisions.ts';
import { anAgentAt, strangerAt, type TestAgent } from '../../harness/callers.ts';
import { anOwnerWithAgent, type TestOwner } from '../../harness/owners.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';

/** A Monday in the session of New York, within the packaged prices of MSFT. */
const MONDAY = new Date('2014-06-02T15:00:00.000Z');
const SATURDAY = new Date('2014-06-07T00:00:00.000Z');

const NONE = { strong_correct: 0, weak_correct: 0, weak_incorrect: 0, strong_incorrect: 0 };
const NOTHING = {
  ungraded: { rejected: 0, data_unavailable: [], suspected: 0 },
  submission_count: 0,
  evaluated_count: 0,
  pending_count: 0,
  unavailable_count: 0,
  result_distribution: NONE,
  had_said: { bullish: NONE, bearish: NONE, neutral: NONE },
};
const NO_FACETS = {
  ...NOTHING,
  calls: 0,
  windows: { instruments: 0, instrument_days: 0, max_concurrent: 0, disjoint: 0 },
  by_direction: { bullish: NOTHING, bearish: NOTHING, neutral: NOTHING },
  by_knowledge_cutoff: { before: NOTHING, after: NOTHING, without: NOTHING },
  by_symbol: [],
  by_month: [],
  first_submission: null,
  last_submission: null,
};

describe.each(STORAGES)('agents and the results of their records, on %s', (storage) => {
  let service: TestService;
  let owner: TestOwner;
  let agent: TestAgent;
  /** Evaluated bullish and bearish, quarantined, rejected, retroactive, open. */
  const ids: string[] = [];
  /** Of the two evaluated records and the retroactive one. */
  let buckets: readonly ('strong_correct' | 'weak_correct' | 'weak_incorrect' | 'strong_incorrect')[] = [];
  let hadSaid: readonly HadSaid[] = [];
  const DIRECTIONS_OF_READ = ['bullish', 'bearish', 'bullish'] as const;
  beforeAll(async () => {
    ids.length = 0;
    service = await openService(storage, { at: MONDAY, env: { LIMIT_COOLDOWN_SECONDS: '0' } });
    owner = await anOwnerWithAgent(service);
    agent = owner.agent;
    const submit = async (changes: object) => {
      const at = await service.ports.clock.now();
      ids.push((await agent.submit({ ...aSubmission(at), ...changes })).body.record_id);
      await service.arrange.advance(MINUTE);
    };
    const msft = { market: 'stock', symbol: 'msft', venue: 'NASDAQ', horizon_kind: 'trading_days', horizon_value: 3 };
    await submit({ ...msft, confidence: 0.7 });
    await submit({ ...msft, direction: 'bearish', confidence: 1, perspective_type: 'macro' });
    await submit({ ...msft, direction: 'neutral', confidence: 0.7 });
    await submit({ symbol: 'NOSUCHCOIN' });
    await submit({ ...msft, data_cutoff: '2003-02-13T14:00:00Z', horizon_value: 5, confidence: 0.05 });
    await service.settle();
    await service.arrange.freeze(SATURDAY);
    await service.settle();
    await service.arrange.mark(ids[2] ?? '', { quarantine_reason: 'bad data' });
    await owner.logInAgain();
    await submit({ symbol: 'BTC-USD', horizon_value: 7_200 });
    await owner.revoke(ids[0] ?? '');
    const read = await Promise.all([0, 1, 4].map((place) => agent.read(ids[place] ?? '')));
    buckets = read.map(({ body }) => body.result_bucket);
    hadSaid = read.map(({ body }) => body.outcome.had_said);
    expect(hadSaid.map((each, i) => each[DIRECTIONS_OF_READ[i] ?? 'neutral'])).toEqual(buckets);
  });
  afterAll(() => service.close());

  const of = (...places: readonly number[]) => {
    const counted = { ...NONE };
    for (const place of places) counted[buckets[place] ?? 'weak_correct'] += 1;
    return counted;
  };
  /** What each direction would have got, as the outcomes show it. */
  const said = (...places: readonly number[]) => {
    const by = (direction: 'bullish' | 'bearish' | 'neutral') => {
      const counted = { ...NONE };
      for (const place of places) counted[hadSaid[place]?.[direction] ?? 'weak_correct'] += 1;
      return counted;
    };
    return { bullish: by('bullish'), bearish: by('bearish'), neutral: by('neutral') };
  };
  const track = async (query = '') => (await owner.get(`/agents/${agent.agent_id}/track-record${query}`)).body;

  test('raw counts of realtime records, archived ones too, and those of retroactive ones apart', async () => {
    const evaluatedOf = (...places: readonly number[]) => ({
      evaluated_count: places.length,
      result_distribution: of(...places),
      had_said: said(...places),
    });
    const evaluated = (place: number) => ({
      ...NOTHING,
      submission_count: 1,
      ...evaluatedOf(place),
    });
    const pending = { ...NOTHING, submission_count: 1, pending_count: 1 };
    const quarantined = { ...NOTHING, submission_count: 1, unavailable_count: 1 };
    const oneRejected = { ...NOTHING.ungraded, rejected: 1 };
    const rejected = { ...quarantined, ungraded: oneRejected };
    const stock = { ...NOTHING, submission_count: 3, evaluated_count: 2, unavailable_count: 1 };
    const all = {
      ...stock,
      submission_count: 5,
      pending_count: 1,
      unavailable_count: 2,
      ungraded: oneRejected,
      result_distribution: of(0, 1),
      had_said: said(0, 1),
    };
    const hindsight = evaluated(2);
    expect(await track()).toEqual({
      agent_id: agent.agent_id,
      ...all,
      calls: 5,
      windows: { instruments: 1, instrument_days: 1, max_concurrent: 2, disjoint: 1 },
      by_direction: {
        bullish: { ...all, submission_count: 3, unavailable_count: 1, ...evaluatedOf(0) },
        bearish: evaluated(1),
        neutral: quarantined,
      },
      by_knowledge_cutoff: { before: NOTHING, after: NOTHING, without: all },
      by_symbol: [
        { market: 'stock', symbol: 'MSFT', ...stock, ...evaluatedOf(0, 1) },
        { market: 'crypto', symbol: 'BTC', ...pending },
        { market: 'crypto', symbol: 'NOSUCHCOIN', ...rejected },
      ],
      by_month: [{ month: '2014-06', ...all }],
      first_submission: MONDAY.toISOString(),
      last_submission: SATURDAY.toISOString(),
      calibration: [
        { confidence_from: 0.7, confidence_to: 0.8, result_distribution: of(0) },
        { confidence_from: 0.9, confidence_to: 1, result_distribution: of(1) },
      ],
      retroactive: {
        ...hindsight,
        calls: 1,
        windows: { instruments: 1, instrument_days: 1, max_concurrent: 1, disjoint: 1 },
        by_direction: { bullish: hindsight, bearish: NOTHING, neutral: NOTHING },
        by_knowledge_cutoff: { before: NOTHING, after: NOTHING, without: hindsight },
        by_symbol: [{ market: 'stock', symbol: 'MSFT', ...hindsight }],
        by_month: [{ month: '2014-06', ...hindsight }],
        first_submission: new Date(MONDAY.getTime() + 4 * MINUTE).toISOString(),
        last_submission: new Date(MONDAY.getTime() + 4 * MINUTE).toISOString(),
        calibration: [{ confidence_from: 0, confidence_to: 0.1, result_distribution: of(2) }],
      },
      all_agents: { agent_count: 1, ...all, retroactive: hindsight },
    });
  });

  test('the record of each agent shows the counts of all agents of its owner, by the same filters', async () => {
    const boss = await anOwnerWithAgent(service);
    const mates = [boss.agent, await anAgentAt(service, { mate: boss }), await anAgentAt(service, { mate: boss })];
    for (const [i, mate] of mates.slice(0, 2).entries()) {
      const now = await service.ports.clock.now();
      for (const symbol of ['BTC-USD', 'ETH-USD'].slice(i)) await mate.submit({ ...aSubmission(now), symbol });
    }
    const counted = async (query: string) => {
      const read = mates.map(({ agent_id }) => boss.get(`/agents/${agent_id}/track-record${query}`));
      return (await Promise.all(read)).map(({ body: { submission_count, all_agents } }) => [
        submission_count,
        all_agents.agent_count,
        all_agents.submission_count,
      ]);
    };
    expect(await counted('')).toEqual([2, 1, 0].map((own) => [own, 3, 3]));
    expect(await counted('?symbol=ETH')).toEqual([1, 1, 0].map((own) => [own, 3, 2]));
    expect(await counted('?has_outcome=true')).toEqual([0, 0, 0].map((own) => [own, 3, 0]));
  });

  test('every filter of the contract, alone', async () => {
    const expected: Readonly<Record<string, readonly [realtime: number, retroactive: number]>> = {
      'symbol=msft': [3, 1],
      'symbol=BTC%2FUSD': [1, 0],
      'symbol=BTC-USDT': [1, 0],
      'symbol=NOPE': [0, 0],
      'direction=bearish': [1, 0],
      'perspective_type=macro': [1, 0],
      'holding_seconds_min=7200': [1, 0],
      'holding_seconds_min=7201': [0, 0],
      'holding_seconds_max=7200': [2, 0],
      'holding_seconds_max=7199': [1, 0],
      'holding_seconds_min=-9223372036854775808&holding_seconds_max=9223372036854775807': [2, 0],
      'has_outcome=true': [2, 1],
      'has_outcome=false': [3, 0],
      'date_from=2014-06-02&date_to=2014-06-02': [4, 1],
      'date_from=2014-06-03': [1, 0],
      'date_from=2014-06-07': [1, 0],
      'date_to=2014-06-01': [0, 0],
      'date_to=2100-12-31': [5, 1],
    };
    for (const [query, counts] of Object.entries(expected)) {
      const { submission_count, retroactive } = await track(`?${query}`);
      expect([query, submission_count, retroactive.submission_count]).toEqual([query, ...counts]);
    }
    for (const bucket of Object.keys(NONE) as (keyof typeof NONE)[]) {
      const { submission_count, evaluated_count, result_distribution, ...rest } = await track(
        `?result_bucket=${bucket}`,
      );
      const parts = [rest, rest.retroactive, rest.all_agents, rest.by_direction.bullish, ...rest.by_symbol];
      expect(parts.map(({ had_said }) => had_said)).toEqual(parts.map(() => null));
      const all = of(0, 1)[bucket];
      expect([submission_count, evaluated_count, result_distribution[bucket]]).toEqual([all, all, all]);
    }
  });

  test('no member is a rate, a score or a rank', async () => {
    const figures = JSON.stringify(await track(), (name, value) =>
      typeof value === 'number' && !name.startsWith('confidence_') && !Number.isInteger(value) ? 'a fraction' : value,
    );
    expect(figures).not.toContain('a fraction');
    expect(figures).not.toMatch(/rate|score|rank|accuracy|win(?!dows)/i);
  });

  test('400 names the parameter, also for an empty range', async () => {
    const wrong: Readonly<Record<string, string>> = {
      'result_bucket=right': 'result_bucket',
      'direction=up': 'direction',
      'perspective_type=hunch': 'perspective_type',
      'symbol=': 'symbol',
      'has_outcome=1': 'has_outcome',
      'holding_seconds_min=1.5': 'holding_seconds_min',
      'holding_seconds_min=0x10': 'holding_seconds_min',
      'holding_seconds_max=9223372036854775808': 'holding_seconds_max',
      'holding_seconds_min=-9223372036854775809': 'holding_seconds_min',
      'holding_seconds_min=2&holding_seconds_max=1': 'holding_seconds_max',
      'date_from=2014-02-30': 'date_from',
      'date_from=2014-06-02T00:00:00Z': 'date_from',
      'date_to=1969-12-31': 'date_to',
      'date_from=2014-06-03&date_to=2014-06-02': 'date_to',
      'include_archived=true': 'include_archived',
    };
    for (const [query, path] of Object.entries(wrong)) {
      const { status, body } = await owner.get(`/agents/${agent.agent_id}/track-record?${query}`);
      expect([query, status, body.error?.details?.[0].path]).toEqual([query, 400, path]);
    }
  });

  test('404 for an agent of another owner, as for an unknown one; 400 for a malformed agent id', async () => {
    const stranger = await anOwnerWithAgent(service);
    const path = (agent_id: string) => `/agents/${agent_id}/track-record`;
    const theirs = await stranger.get(path(agent.agent_id));
    const none = await stranger.get(path('agt_000000000000'));
    expect([theirs.status, none.status]).toEqual([404, 404]);
    expect(theirs.body.error.message.replace(agent.agent_id, '')).toBe(none.body.error.message.replace(/agt_0+/, ''));
    expect((await owner.get(path('me'))).status).toBe(400);
    expect((await stranger.get(path(stranger.agent.agent_id))).body).toEqual({
      agent_id: stranger.agent.agent_id,
      ...NO_FACETS,
      retroactive: NO_FACETS,
      all_agents: { agent_count: 1, ...NOTHING, retroactive: NOTHING },
    });
  });

  test('401 for nobody, 403 for an agent', async () => {
    for (const path of ['/agents', `/agents/${agent.agent_id}/track-record`, '/dashboard', '/outcomes']) {
      expect((await strangerAt(service).get(`/api/v1/owner${path}`)).status).toBe(401);
      expect((await agent.get(`/api/v1/owner${path}`)).status).toBe(403);
    }
  });

  test('the list has each agent with its keys and counts that are at most five minutes old', async () => {
    const boss = await anOwnerWithAgent(service);
    const { agent: first } = boss;
    const second = await anAgentAt(service, { mate: boss, permission_mode: 'read_only' });
    const listed = async () => (await boss.get('/agents')).body;
    const counted_at = await service.ports.clock.now();
    const { items, next_cursor } = await listed();
    expect(next_cursor).toBeNull();
    const track_record = { ...NOTHING, retroactive: NOTHING, cached_at: counted_at.toISOString() };
    const item = ({ agent_id, key_prefix }: TestAgent, permission_mode: string) => {
      const keys = [{ key_prefix, permission_mode }];
      const made = { name: 'Scout', created_at: '2001-01-30T14:30:00.123Z', archived_at: null };
      return { agent_id, ...made, keys, track_record };
    };
    const byId = (a: { agent_id: string }, b: { agent_id: string }) => (a.agent_id < b.agent_id ? -1 : 1);
    expect(items).toEqual([item(first, 'read_write'), item(second, 'read_only')].toSorted(byId));
    await first.submit(aSubmission(counted_at));
    const ofFirst = async () =>
      (await listed()).items.find(({ agent_id }: { agent_id: string }) => agent_id === first.agent_id).track_record;
    await service.arrange.advance(5 * MINUTE - 1);
    expect(await ofFirst()).toEqual(track_record);
    await service.arrange.advance(1);
    expect(await ofFirst()).toMatchObject({ submission_count: 1, pending_count: 1 });
    const { body } = await boss.get(`/agents/${first.agent_id}/track-record`);
    expect(body.submission_count).toBe(1);
  });

  test('outcomes by week of the end of the window: archived ones count, quarantined ones do not', async () => {
    const { body } = await owner.get('/outcomes');
    const week = (period: string, submission_origin: string, ...places: readonly number[]) => ({
      ...{
        period,
        submission_origin,
        result_distribution: of(...places),
        had_said: said(...places),
        uncounted_count: 0,
      },
      by_direction: expect.objectContaining({ neutral: NONE }),
    });
    const [past, present] = [week('2003-02-17', 'retroactive', 2), week('2014-06-02', 'realtime', 0, 1)];
    expect(body).toEqual({ by: 'week', items: [past, present] });
    expect(body.items[1].by_direction.bullish).toEqual(of(0));
    expect((await owner.get('/outcomes?since=2014-06-02T00:00:00Z')).body.items).toEqual([present]);
    expect((await owner.get('/outcomes?since=2014-06-09T00:00:00Z')).body.items).toEqual([]);
    const months = (await owner.get('/outcomes?by=month')).body.items.map(({ period }: { period: string }) => period);
    expect(months).toEqual(['2003-02-01', '2014-06-01']);
    expect((await owner.get(`/outcomes?agent_id=${agent.agent_id}`)).body).toEqual(body);
    const stranger = await anOwnerWithAgent(service);
    for (const [reader, other] of [
      [owner, stranger.agent.agent_id],
      [owner, 'agt_000000000000'],
      [stranger, agent.agent_id],
    ] as const)
      expect((await reader.get(`/outcomes?agent_id=${other}`)).body).toEqual({ by: 'week', items: [] });
    for (const [query, path] of Object.entries({
      'by=day': 'by',
      'since=2014-06-02': 'since',
      'until=x': 'until',
      'agent_id=me': 'agent_id',
    })) {
      const { status, body: refused } = await owner.get(`/outcomes?${query}`);
      expect([query, status, refused.error.details[0].path]).toEqual([query, 400, path]);
    }
  });

  test('the dashboard has current counts, and reading it takes nothing from a pool', async () => {
    await agent.read(ids[1] ?? '');
    const { body, headers } = await owner.get('/dashboard');
    const { body: status } = await agent.get('/api/v1/public/auth/status?include=quota');
    expect(body).toEqual({
      agents: 1,
      keys: 1,
      expiring_keys: [],
      decisions: {
        by_state: {
          pending_verify: 1,
          verified: 0,
          rejected: 1,
          evaluating: 0,
          deferred: 0,
          data_unavailable: 0,
          evaluated: 3,
          quarantined: 1,
        },
        by_bucket: of(0, 1, 2),
        archived: 1,
      },
      workflows: 0,
      quota: { pools: status.quota },
      generated_at: (await service.ports.clock.now()).toISOString(),
    });
    expect(headers['x-quota-resource']).toBe('none');
  });
});
