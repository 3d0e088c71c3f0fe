import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { countedAt } from '../../clients/typescript/verify/named-decisions.ts';
import {
  boundsAt,
  type CohortReply,
  type CountableDecision,
  cohortName,
  countable,
  countFault,
  filterOf,
  isWithheld,
  NeedsNewerVerifier,
  queryFault,
  recountOf,
  savedReply,
} from '../../clients/typescript/verify/recount.ts';
import type { CohortFilter } from '../../domain/cohorts/cohort-filter.ts';
import { type Overview, overviewOf } from '../../domain/cohorts/cohort-views.ts';
import type { Decision } from '../../domain/decisions/decision.ts';
import { Malformed } from '../../domain/log/encoding.ts';
import { type PublicOutcome, publicOutcome, publicStatement } from '../../domain/log/leaves/public-statement.ts';
import { nameBook } from '../../domain/market/name-book.ts';
import { DAY, HOUR, MINUTE } from '../../domain/time.ts';
import { auditedModeration } from '../builders/audited-moderation.ts';
import { aDecision } from '../builders/decision-records.ts';
import { aStatement, learned } from '../builders/names.ts';
import { aSuspectedOutcome } from '../builders/outcomes.ts';
import { filtersOver, singleFilters } from '../contracts/cohorts/filters.ts';
import { universe } from '../contracts/cohorts/universe.ts';
import { decisionAdapters, NOON } from '../contracts/decisions/adapters.ts';
import { type Bench, benchOn } from '../contracts/decisions/bench.ts';

const RULES = { minProducers: 1, minSamples: 1, ownerProof: 'none' } as const;

const opened = (decision: Decision, isLate = false): CountableDecision =>
  countable(publicStatement(decision), outcomeOf(decision), isLate);

function outcomeOf({ result_bucket, evaluated_at, facts, ...decision }: Decision): PublicOutcome {
  if (!result_bucket || !evaluated_at || !facts) throw new Error(`${decision.record_id} is graded.`);
  return publicOutcome({ ...decision, result_bucket, evaluated_at, facts }, 'e'.repeat(64));
}

/** The overview that the service shows of a cohort, with its windows. */
async function overview(bench: Bench, filter: CohortFilter): Promise<Overview> {
  const { cohorts } = bench.storage();
  const { result, moment } = await cohorts.summarise(filter, 1);
  const facts = { windows: await cohorts.windows(filter, moment), largest_owner_share: null, ungraded: null };
  return overviewOf(filter, result, null, RULES, facts);
}

/** The reply as its reader has it. @param at the service answered */
function replyOf(filter: CohortFilter, shown: Overview, at: number): CohortReply {
  return { at, ...JSON.parse(JSON.stringify({ query: filter, overview: shown })) };
}

describe.each(decisionAdapters.filter(({ share }) => share === undefined))('counts again, on $name', (adapter) => {
  const bench = benchOn(adapter);
  let records: readonly Decision[];
  let log: readonly CountableDecision[];
  beforeAll(async () => {
    records = await universe(bench, 150, 11);
    await bench.storage().cohortCells.fold(70);
    for (const { record_id } of records.slice(0, 5))
      await auditedModeration(bench.storage()).quarantine(record_id, 'a test', await bench.now());
    records = records.slice(5);
    log = records.map((record) => opened(record));
  });

  async function expectSame(filter: CohortFilter): Promise<number> {
    const { windows, counts } = recountOf(filter, log);
    const { result, moment } = await bench.storage().cohorts.summarise(filter, 1);
    expect({ filter, ...counts }).toEqual({ filter, ...result, enoughProducers: false });
    if (windows)
      expect({ filter, windows }).toEqual({ filter, windows: await bench.storage().cohorts.windows(filter, moment) });
    return windows && counts.samples > 0 ? 1 : 0;
  }

  test('each filter alone gives the counts and windows of the service', async () => {
    let compared = 0;
    for (const filter of singleFilters(records.slice(0, 30))) compared += await expectSame(filter);
    expect(compared).toBeGreaterThan(10);
  });

  test('any filters together do', async () => {
    const asked = fc.asyncProperty(filtersOver(records), async (filter) => void (await expectSame(filter)));
    await fc.assert(asked, { numRuns: 120, seed: 3 });
  });

  test('the reply of a cohort holds, and fails with any number changed', async () => {
    const at = (await bench.now()).getTime() + 3 * MINUTE;
    for (const filter of [
      { market: 'crypto', include_retroactive: true },
      { market: 'crypto', symbol: 'BTC', direction: 'bullish', method: 'eval/3', include_retroactive: true },
      { market: 'stock', include_retroactive: false },
    ] as const satisfies readonly CohortFilter[]) {
      const shown = await overview(bench, filter);
      const reply = replyOf(filter, shown, at);
      expect([filter, countFault(reply, boundsAt(reply, log))]).toEqual([filter, null]);
      const isWithWindows = 'method' in filter;
      for (const changed of changedNumbers(reply.overview, isWithWindows)) {
        const wrong = { ...reply, overview: changed };
        expect([changed, countFault(wrong, boundsAt(wrong, log))]).toEqual([changed, expect.any(String)]);
      }
    }
  });
});

/** The overview with each of its numbers and times changed in turn. */
function changedNumbers(shown: CohortReply['overview'], windows: boolean): readonly CohortReply['overview'][] {
  const names = ['sample_count', 'retroactive_count', 'result_distribution', 'had_said', 'time_range'];
  const changes = (value: unknown): unknown[] => {
    if (typeof value === 'number') return [value + 1, value - 1];
    if (typeof value === 'string') return [new Date(Date.parse(value) + 1).toISOString()];
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([name, member]) =>
      changes(member).map((each) => ({ ...value, [name]: each })),
    );
  };
  return [...names, ...(windows ? ['windows'] : [])].flatMap((name) =>
    changes(shown[name]).map((value) => ({ ...shown, [name]: value })),
  );
}

describe('a reply of a minute', () => {
  const bench = benchOn(
    decisionAdapters[0] ?? { name: 'memory', open: () => Promise.reject(new Error('There is one.')) },
  );
  const filter: CohortFilter = { market: 'crypto', include_retroactive: true };
  let log: readonly CountableDecision[];
  let shown: Overview;
  let last: number;
  beforeAll(async () => {
    const records = await universe(bench, 60, 12);
    log = records.map((record) => opened(record));
    shown = await overview(bench, filter);
    last = Math.max(...log.map(({ judged }) => Number(judged.evaluated_at)));
  });
  const fault = (at: number, overviewOfReply: Overview = shown) => {
    const reply = replyOf(filter, overviewOfReply, at);
    return countFault(reply, boundsAt(reply, log));
  };

  test('may or may not have the grades of that minute, and of one before and after', async () => {
    const before = await overview(bench, { ...filter, as_of: new Date(last - 1) });
    expect(before.sample_count).toBeLessThan(shown.sample_count ?? 0);
    for (const at of [last - 2 * MINUTE, last, last + MINUTE - 1])
      expect([at - last, fault(at), fault(at, before)]).toEqual([at - last, null, null]);
  });

  test('lacks no grade from long before, and has none from long after', async () => {
    const before = await overview(bench, { ...filter, as_of: new Date(last - 1) });
    expect(fault(last + MINUTE, before)).toContain('the log has');
    expect(fault(last + MINUTE)).toBeNull();
    expect(fault(last - 2 * MINUTE - 1)).toContain('the log has');
  });

  test('counts what was graded by its own as_of, whenever it was asked', async () => {
    const as_of = new Date(last - 8 * DAY);
    const then = await overview(bench, { ...filter, as_of });
    const reply = replyOf({ ...filter, as_of }, then, last + DAY);
    expect(countFault(reply, boundsAt(reply, log))).toBeNull();
    expect(countFault({ ...reply, overview: { ...shown } }, boundsAt(reply, log))).toContain('the log has');
  });

  test('shows and says what of a bucket was left out', () => {
    const buckets = shown.result_distribution ?? {
      strong_correct: 0,
      weak_correct: 0,
      weak_incorrect: 0,
      strong_incorrect: 0,
    };
    const { strong_correct, weak_correct, weak_incorrect, strong_incorrect } = buckets;
    const lied = { ...shown, result_distribution: { ...buckets, weak_incorrect: 1 } };
    expect(fault(last + HOUR, lied)).toBe(
      `shown ${strong_correct}/${weak_correct}/1/${strong_incorrect}, the log has ` +
        `${strong_correct}/${weak_correct}/${weak_incorrect}/${strong_incorrect}`,
    );
  });

  test('says how many of its decisions were late', () => {
    const some = log.map((each, i) => ({ ...each, isLate: i % 2 === 0 }));
    expect(recountOf(filter, some).late).toBeGreaterThan(0);
    expect(recountOf({ ...filter, symbol: 'NONE' }, some).late).toBe(0);
  });

  test('is withheld without counts', () => {
    expect(isWithheld(replyOf(filter, { ...shown, sample_count: null }, last))).toBe(true);
    expect(isWithheld(replyOf(filter, shown, last))).toBe(false);
  });

  test('no cohort has a flagged outcome', async () => {
    const [record] = await bench.storage().decisions.find([String(log[0] && recordId(log[0]))], null);
    if (!record) throw new Error('There is one.');
    const flagged = opened({ ...record, facts: aSuspectedOutcome({ suspected_price: true }).facts });
    expect(recountOf(filter, [flagged]).counts.samples).toBe(0);
  });

  test.each([
    ['a later version of an outcome', { v: 2 }, NeedsNewerVerifier],
    ['facts of an unknown method', { outcome: { method: 'eval/9' } }, NeedsNewerVerifier],
    ['an unknown bucket', { result_bucket: 'right' }, NeedsNewerVerifier],
    ['no time', { evaluated_at: 'soon' }, Malformed],
  ])('%s is not counted', async (_, changes, fault) => {
    const [record] = await bench.storage().decisions.find([String(log[0] && recordId(log[0]))], null);
    if (!record) throw new Error('There is one.');
    const outcome = { ...outcomeOf(record), ...changes } as PublicOutcome;
    expect(() => countable(publicStatement(record), outcome, false)).toThrow(fault);
  });
});

test('a statement of version 2 is counted where the horizon is pinned, and one of a later version not at all', () => {
  const further = aDecision({ group_id: 'grp_5c0ffee55c0ffee55c0ffee5', group_place: 2, group_of: 3 });
  const market: CohortFilter = { market: 'crypto', include_retroactive: true };
  const { horizon_kind, horizon_value } = further;
  const samples = (filter: CohortFilter) => recountOf(filter, [opened(further)]).counts.samples;
  expect(samples(market)).toBe(0);
  expect(samples({ ...market, horizon_kind })).toBe(0);
  expect(samples({ ...market, horizon_value })).toBe(0);
  expect(samples({ ...market, horizon_kind, horizon_value })).toBe(1);
  const statement = publicStatement(further);
  const unknown = [{ v: 3 }, { v: 1 }, { further_horizon: false }] as unknown as (typeof statement)[];
  for (const changes of unknown)
    expect(() => countable({ ...statement, ...changes }, outcomeOf(further), false)).toThrow(NeedsNewerVerifier);
});

const recordId = ({ judged }: CountableDecision) => ('record_id' in judged ? judged.record_id : '');

describe('the query of a reply', () => {
  const reply = (query: object): CohortReply => ({ at: NOON.getTime(), query: { ...query }, overview: {} });

  test('names its cohort', () => {
    const bullish = { market: 'stock', symbol: 'MSFT', direction: 'bullish', include_retroactive: false };
    expect(cohortName(reply(bullish))).toBe('stock MSFT bullish');
    expect(cohortName(reply({ market: 'crypto', period: '2026-01', include_retroactive: true }))).toBe(
      'crypto period 2026-01, with retroactive ones',
    );
    expect(cohortName(reply({ ...bullish, sort: 'data_cutoff_desc', limit: 20 }))).toBe('stock MSFT bullish');
  });

  test('selects by a period and by times', () => {
    const period = { market: 'crypto', period: '2026-01', include_retroactive: false };
    expect(filterOf(reply(period))).toEqual({
      market: 'crypto',
      include_retroactive: false,
      data_cutoff_since: new Date('2026-01-01T00:00:00Z'),
      data_cutoff_until: new Date('2026-02-01T00:00:00Z'),
    });
    expect(filterOf(reply({ market: 'stock', as_of: '2026-01-02T00:00:00.000Z', limit: 5 }))).toEqual({
      market: 'stock',
      include_retroactive: false,
      as_of: new Date('2026-01-02T00:00:00Z'),
    });
  });

  test.each([
    [{ market: 'crypto', mood: 'good' }, 'a parameter that this verifier does not know: mood'],
    [{ market: 'crypto', period: '2026-13' }, 'an unknown period: 2026-13'],
  ])('with something unknown is refused: %j', (query, message) => {
    expect(() => filterOf(reply(query))).toThrow(message);
    expect(() => filterOf(reply(query))).toThrow(NeedsNewerVerifier);
  });

  const bitcoin = { market: 'crypto', symbol: 'BTC', include_retroactive: false };
  test.each([
    ['market=crypto&symbol=BTC', bitcoin],
    ['symbol=btc-usdt&market=Crypto&include_retroactive=false', bitcoin],
    ['symbol=BTCUSDT&market=crypto', bitcoin],
    ['market=stock&symbol=brk/b', { market: 'stock', symbol: 'BRK.B', include_retroactive: false }],
    [
      'market=stock&as_of=2026-01-02T01:00:00%2B01:00',
      { market: 'stock', as_of: '2026-01-02T00:00:00.000Z', include_retroactive: false, sort: 'data_cutoff_desc' },
    ],
  ])('%s is understood as its reply says', (sent, query) => {
    expect(queryFault(sent, reply(query))).toBeNull();
  });

  test.each([
    ['market=crypto&symbol=BTC', { ...bitcoin, as_of: '2026-01-02T00:00:00.000Z' }],
    ['market=crypto&symbol=BTC', { ...bitcoin, include_retroactive: true }],
    ['market=crypto&symbol=BTC', { ...bitcoin, symbol: 'B' }],
    ['market=stock&symbol=MSFT', { market: 'stock', symbol: 'M', include_retroactive: false }],
    ['market=crypto&symbol=BTC&direction=bullish', bitcoin],
    ['market=stock&as_of=2026-01-02T00:00:00Z', { market: 'stock', as_of: '2026-01-03T00:00:00.000Z' }],
  ])('%s is not answered by the counts of another cohort', (sent, query) => {
    expect(queryFault(sent, reply({ include_retroactive: false, ...query }))).toMatch(/^asked for .*, it counted /);
  });
});

describe('a reply that curl -i saved', () => {
  const body = '{"query":{"market":"stock","include_retroactive":false},"overview":{"sample_count":3}}';
  const head = 'HTTP/1.1 200 OK\r\nDate: Mon, 02 Mar 2026 12:00:41 GMT\r\nContent-Type: application/json\r\n\r\n';

  test.each([
    ['as it is', `${head}${body}`],
    ['with line ends of a text', `${head}${body}\n`.replaceAll('\r\n', '\n')],
    ['of HTTP/2', `${head}${body}`.replace('HTTP/1.1 200 OK', 'HTTP/2 200').replace('Date', 'date')],
    [
      'through a proxy',
      `HTTP/1.1 200 Connection established\r\nDate: Sun, 01 Mar 2026 00:00:00 GMT\r\n\r\n${head}${body}`,
    ],
  ])('is read %s', (_, text) => {
    expect(savedReply('reply', text)).toEqual({
      at: Date.parse('2026-03-02T12:00:41Z'),
      query: { market: 'stock', include_retroactive: false },
      overview: { sample_count: 3 },
    });
  });

  test.each([
    ['the body alone', body, 'reply is not a reply with status 200 and a Date, as curl -i saves it.'],
    ['no Date', `${head.replace(/Date.*\r\n/, '')}${body}`, 'reply is not a reply with status 200 and a Date'],
    ['a refusal', `${head}${body}`.replace('200 OK', '429 Too Many Requests'), 'reply is not a reply with status 200'],
    ['a date of nothing', `${head.replace('Mon, 02 Mar 2026', 'someday')}${body}`, 'did not answer with the counts'],
    ['another body', `${head}{"items":[]}`, 'The service did not answer with the counts of a cohort'],
    ['no JSON', `${head}<html>`, 'The service did not answer with the counts of a cohort'],
  ])('%s is refused', (_, text, message) => {
    expect(() => savedReply('reply', text)).toThrow(message);
  });
});

test('a reply that was saved while an import was under way counts by the names before it, too', () => {
  const [first] = learned(aStatement({ market: 'crypto', name: 'BTC', key: 'BTX', from: '2012-01-01' }));
  if (!first) throw new Error('It was learned');
  const book = nameBook([first]);
  const decision = aDecision({ symbol: 'BTC', lifecycle_state: 'evaluated' });
  const named = [{ statement: publicStatement(decision), outcome: outcomeOf(decision), isLate: false }];
  const learnedAt = first.learned_at.getTime();
  const symbols = (at: number, isSaved: boolean) => {
    const { certain, possible } = countedAt(at, book, named, [], isSaved);
    return [certain, possible].map((each) => each.map(({ judged }) => judged.symbol).toSorted());
  };
  expect(symbols(learnedAt - HOUR, true)).toEqual([['BTC'], ['BTC']]);
  expect(symbols(learnedAt + HOUR, false)).toEqual([['BTX'], ['BTX']]);
  expect(symbols(learnedAt + HOUR, true)).toEqual([[], ['BTC', 'BTX']]);
  expect(symbols(learnedAt + 2 * DAY, true)).toEqual([['BTX'], ['BTX']]);
});
