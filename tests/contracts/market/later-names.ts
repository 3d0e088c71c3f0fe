import { describe, expect, test } from '@jest/globals';
import { canonicalJson } from '../../../adapters/formats/canonical-json.ts';
import { buildAtlas } from '../../../application/atlas/build-atlas.ts';
import { checkEvidence } from '../../../application/grading/check-evidence.ts';
import { learnNames, newestNames, withdrawName } from '../../../application/market/names.ts';
import type { CohortFilter } from '../../../domain/cohorts/cohort-filter.ts';
import type { Direction } from '../../../domain/decisions/call.ts';
import type { Decision } from '../../../domain/decisions/decision.ts';
import { cohortKeyWith } from '../../../domain/decisions/later-reading.ts';
import type { NamesOf } from '../../../domain/market/market-data.ts';
import type { NameStatement } from '../../../domain/market/name-statement.ts';
import { DAY, MINUTE } from '../../../domain/time.ts';
import { auditedModeration } from '../../builders/audited-moderation.ts';
import { type AgentCaller, NO_LIMITS, receiptOf } from '../../builders/decisions.ts';
import { aStatement, FACEBOOK } from '../../builders/names.ts';
import { aGraded, anOutcome } from '../../builders/outcomes.ts';
import { naiveSummary } from '../cohorts/naive.ts';
import type { Bench, DecisionContract } from '../decisions/bench.ts';
import { endOf, FAR } from '../decisions/evaluated.ts';

/** What a statement that is learned late does to the records that are there. */
export const laterNamesContract: DecisionContract = {
  name: 'names learned later',
  promises(bench) {
    describe('a statement', () => movingTests(bench));
    describe('the storage', () => refusalTests(bench));
    describe('a grade', () => gradeTests(bench));
    describe('at once', () => raceTests(bench));
  },
};

/** Names of a test of its own, since all tests share one storage. */
let made = 0;
const newTag = () => {
  made += 1;
  return `X${made}`;
};
const tagged = (tag: string) =>
  FACEBOOK.map((each) => ({ ...each, name: `${each.name}${tag}`, key: `${each.key}${tag}` }));
const ports = (bench: Bench) => ({ ...bench.storage(), canonicalJson });
const learn = async (bench: Bench, ...said: readonly NameStatement[]) => {
  await bench.arrange().advance(MINUTE);
  return learnNames(ports(bench), said, 'test');
};
const withdraw = async (bench: Bench, id: number) => {
  await bench.arrange().advance(MINUTE);
  return withdrawName(ports(bench), id, 'test');
};
const SHARE = { market: 'stock', venue: 'NASDAQ', asset_class: 'spot', quote_currency: 'USD' } as const;

interface Said {
  readonly symbol: string;
  readonly date: string;
  readonly direction?: Direction;
  /** The name that was read as the symbol, where that is another one. */
  readonly sent?: string;
}

/** Submits a decision by the newest names. */
async function submit(bench: Bench, agent: AgentCaller, { symbol, date, direction = 'bullish', sent }: Said) {
  const data_cutoff = `${date}T15:00:00.000Z`;
  const horizon = { horizon_kind: 'trading_days', horizon_value: 5 } as const;
  const said = { ...SHARE, symbol: sent ?? symbol, data_cutoff, direction, ...horizon };
  const draft = await bench.draft(agent, said, { limits: NO_LIMITS });
  const { newest } = await newestNames(bench.storage().names);
  const read = sent !== undefined && {
    name: sent,
    instrument: { ...draft.instrument, symbol },
    cohort_key: cohortKeyWith(draft.cohort_key, symbol),
    isolated_cohort_key: cohortKeyWith(draft.isolated_cohort_key, symbol),
  };
  return receiptOf(await bench.storage().intake.submit({ ...draft, ...read, names: newest }));
}

/** Verifies and claims all that waits. */
async function claim(bench: Bench) {
  const { verification, evaluations } = bench.storage();
  for (const instrument of await verification.awaitingVerification(FAR, 1_000)) {
    await verification.settleVerification(instrument, 'verified');
  }
  return evaluations.claimDue(FAR, FAR, 1_000);
}

/** Grades all that waits by a source that names securities in that way. */
async function grade(bench: Bench, names?: NamesOf): Promise<void> {
  const facts = { ...anOutcome().facts, ...(names && { names }) };
  const ends = (await claim(bench)).map((each) => endOf(each, aGraded(each.decision.record_id, anOutcome({ facts }))));
  await bench.storage().evaluations.endEvaluations(ends, await bench.now());
}

async function read(bench: Bench, agent: AgentCaller, ids: readonly string[]): Promise<readonly Decision[]> {
  const found = await bench.storage().decisions.find(ids, agent.owner_id);
  return ids.flatMap((id) => found.filter(({ record_id }) => record_id === id));
}

const samples = async (bench: Bench, filter: Partial<CohortFilter>) => {
  const asked = { market: 'stock', include_retroactive: true, ...filter } as const;
  return (await bench.storage().cohorts.summarise(asked, 1)).result.samples;
};

/** Cells and counts of agents are what the records say, folded or not, and evidence is what was sealed. */
async function expectCounted(bench: Bench): Promise<void> {
  const { cohortCells } = bench.storage();
  expect(await cohortCells.check()).toEqual([]);
  await bench.storage().cohortCells.fold(10_000);
  await bench.storage().cohortCells.foldTracks(10_000);
  expect(await cohortCells.check()).toEqual([]);
}

async function faults(bench: Bench, evidence = bench.storage().evidence): Promise<readonly string[]> {
  const found: string[] = [];
  await checkEvidence({ ...ports(bench), evidence }, (fault) => found.push(fault), { recomputed: false });
  return found;
}

function movingTests(bench: Bench): void {
  test('moves the records that it reads otherwise, both keys are counted anew, and a withdrawal moves them back', async () => {
    const tag = newTag();
    const [fb, meta, metv] = [`FB${tag}`, `META${tag}`, `METV${tag}`];
    const agents = [await bench.agent(), await bench.agent()] as const;
    const said = [
      { symbol: fb, date: '2021-03-01' },
      { symbol: fb, date: '2021-03-02', direction: 'bearish' },
      { symbol: fb, date: '2025-07-01' },
      { symbol: meta, date: '2021-12-01' },
      { symbol: meta, date: '2023-03-01' },
      { symbol: 'AAPL', date: '2021-03-01' },
    ] as const;
    const receipts = [];
    for (const [n, each] of said.entries()) receipts.push(await submit(bench, n % 2 ? agents[1] : agents[0], each));
    await grade(bench);
    // Some are folded into cells, one is in the tail.
    await bench.storage().cohortCells.fold(4);
    await bench.storage().cohortCells.foldTracks(7);
    const ids = receipts.map(({ record_id }) => record_id);
    const all = () => read(bench, agents[0], ids);
    const symbols = async () => (await all()).map(({ symbol }) => symbol);
    const expectNaive = async () => {
      const records = await all();
      for (const symbol of [fb, meta, metv]) {
        for (const direction of [undefined, 'bullish', 'bearish'] as const) {
          const filter = {
            market: 'stock',
            symbol,
            include_retroactive: true,
            ...(direction && { direction }),
          } as const;
          const { moment, edition: _, ...summary } = await bench.storage().cohorts.summarise(filter, 2);
          expect(summary).toEqual(naiveSummary(records, filter, 2));
        }
      }
    };
    expect(await symbols()).toEqual([fb, fb, fb, meta, meta, 'AAPL']);
    await expectNaive();

    const { learned, recounted } = await learn(bench, ...tagged(tag));
    expect(recounted).toBe(3);
    expect(await symbols()).toEqual([meta, meta, fb, metv, meta, 'AAPL']);
    await expectNaive();
    expect(await samples(bench, { symbol: meta })).toBe(3);
    await expectCounted(bench);
    const [first] = await all();
    expect(first).toMatchObject({
      cohort_key: receipts[0]?.cohort_key.replace(`:${fb.toLowerCase()}:`, `:${meta.toLowerCase()}:`),
      received_symbol: fb,
      received_cohort_key: receipts[0]?.cohort_key,
      counted_since: learned[0]?.learned_at,
    });
    const { graph, ownerRecords } = bench.storage();
    const listed = await ownerRecords.list(agents[0].owner_id, { ...NO_FILTER, symbols: [`stock:${meta}`] }, null, 10);
    expect(listed.map(({ record_id }) => record_id).toSorted()).toEqual([ids[0], ids[4]].toSorted());
    const [link] = await graph.find([ids[0] ?? ''], null);
    expect(link).toMatchObject({ symbol: meta, received_symbol: fb });
    expect(await faults(bench)).toEqual([]);

    for (const { id } of learned) await withdraw(bench, id);
    expect(await symbols()).toEqual([fb, fb, fb, meta, meta, 'AAPL']);
    expect(await all()).toEqual(
      (await all()).map((each) => ({
        ...each,
        ...{ received_symbol: null, received_cohort_key: null, counted_since: null, wrong_security: false },
      })),
    );
    await expectNaive();
    await expectCounted(bench);
    expect(await faults(bench)).toEqual([]);
  });

  test('what it moves is on no later page of its new cohort, and is in the next count', async () => {
    const tag = newTag();
    const agent = await bench.agent();
    const ids = [];
    for (const date of ['2021-03-01', '2021-03-02']) {
      ids.push((await submit(bench, agent, { symbol: `FB${tag}`, date })).record_id);
    }
    await submit(bench, agent, { symbol: `META${tag}`, date: '2023-03-01' });
    await grade(bench);
    const filter = { market: 'stock', symbol: `META${tag}`, include_retroactive: true } as const;
    const { cohorts } = bench.storage();
    const pageOf = async (moment: string) =>
      cohorts.page(filter, { sort: 'data_cutoff_asc', limit: 10, after: null, moment });
    const { moment } = await cohorts.summarise(filter, 1);
    await learn(bench, ...tagged(tag));
    expect(await pageOf(moment)).toHaveLength(1);
    const rows = await pageOf((await cohorts.summarise(filter, 1)).moment);
    expect(rows.map(({ symbol, received_symbol }) => [symbol, received_symbol])).toEqual([
      [`META${tag}`, `FB${tag}`],
      [`META${tag}`, `FB${tag}`],
      [`META${tag}`, null],
    ]);
  });

  test('the atlas leads to what it moved, until a record of the security leaves the public', async () => {
    const tag = newTag();
    const agent = await bench.agent();
    const ids = [];
    for (let day = 1; day <= 5; day += 1) {
      ids.push((await submit(bench, agent, { symbol: `FB${tag}`, date: `2021-03-0${day}` })).record_id);
    }
    await grade(bench);
    await learn(bench, ...tagged(tag));
    const { atlas } = bench.storage();
    const thresholds = { minProducers: 1, minSamples: 1, ownerProof: 'none' } as const;
    await buildAtlas({ atlas, settings: { wisdom: thresholds } });
    const node = `instrument:stock:META${tag}:NASDAQ:spot:USD`;
    const seeds = async () => (await atlas.seeds({ scope: 'all', node, limit: 10 }))?.items ?? [];
    expect((await seeds()).map(({ record }) => record.symbol)).toContain(`FB${tag}`);
    await auditedModeration(bench.storage()).quarantine(ids[0] ?? '', 'a test', await bench.now());
    expect(await seeds()).toEqual([]);
  });

  test('moves records in every state, and counts those without an outcome', async () => {
    const tag = newTag();
    const agent = await bench.agent();
    const { record_id: quarantined } = await submit(bench, agent, { symbol: `FB${tag}`, date: '2021-03-01' });
    await grade(bench);
    await bench.arrange().mark(quarantined, { quarantine_reason: 'x' });
    const { record_id: failed } = await submit(bench, agent, { symbol: `FB${tag}`, date: '2021-03-01' });
    const result = { kind: 'data_unavailable', reason: 'no_print', detail: 'none' } as const;
    const ends = (await claim(bench)).map((each) => endOf(each, result));
    await bench.storage().evaluations.endEvaluations(ends, await bench.now());
    const { record_id: waiting } = await submit(bench, agent, { symbol: `FB${tag}`, date: '2021-03-01' });
    expect(await learn(bench, ...tagged(tag))).toMatchObject({ recounted: 3 });
    const moved = await read(bench, agent, [quarantined, failed, waiting]);
    expect(moved.map(({ symbol }) => symbol)).toEqual(Array.from({ length: 3 }, () => `META${tag}`));
    const filter = { market: 'stock', symbol: `META${tag}`, include_retroactive: true } as const;
    expect(await bench.storage().cohorts.ungraded(filter, 1)).toMatchObject({ counts: { data_unavailable: [] } });
    const again = (await claim(bench)).map((each) => endOf(each, result));
    await bench.storage().evaluations.endEvaluations(again, await bench.now());
    expect(await bench.storage().cohorts.ungraded(filter, 1)).toMatchObject({
      counts: { data_unavailable: [{ reason: 'no_print', total: 2 }] },
    });
    await expectCounted(bench);
  });

  test('what ended without an outcome under the wrong name is tried again under the right one, and no other is', async () => {
    const tag = newTag();
    const agent = await bench.agent();
    const [fb, meta] = [`FB${tag}`, `META${tag}`];
    const { verification, evaluations } = bench.storage();
    const submitted = async () => (await submit(bench, agent, { symbol: fb, date: '2021-03-01' })).record_id;
    const rejected = await submitted();
    await verification.settleVerification({ ...SHARE, symbol: fb }, 'rejected', 'No source knows it.');
    const failed = await submitted();
    const stays = (await submit(bench, agent, { symbol: 'AAPL', date: '2021-03-01' })).record_id;
    const none = { kind: 'data_unavailable', reason: 'no_print', detail: 'none' } as const;
    await evaluations.endEvaluations(
      (await claim(bench)).map((each) => endOf(each, none)),
      await bench.now(),
    );
    const deferred = await submitted();
    const gap = { kind: 'deferred', reason: 'coverage', detail: 'few bars' } as const;
    await evaluations.endEvaluations(
      (await claim(bench)).map((each) => endOf(each, gap, FAR)),
      await bench.now(),
    );
    const ids = [rejected, failed, deferred, stays];
    const stateOf = ({ symbol, lifecycle_state, attempts, last_error }: Decision) => [
      ...[symbol, lifecycle_state, attempts, last_error],
    ];
    const states = async () => (await read(bench, agent, ids)).map(stateOf);
    const over = ['AAPL', 'data_unavailable', 0, 'no_print: none'];
    expect(await states()).toEqual([
      [fb, 'rejected', 0, 'No source knows it.'],
      [fb, 'data_unavailable', 0, 'no_print: none'],
      [fb, 'deferred', 1, 'coverage: few bars'],
      over,
    ]);
    const { learned } = await learn(bench, ...tagged(tag));
    expect(await states()).toEqual([
      [meta, 'pending_verify', 0, null],
      [meta, 'evaluating', 0, null],
      [meta, 'deferred', 0, null],
      over,
    ]);
    await expectCounted(bench);
    // Long after its window a source that does not answer is asked for as long as for a new decision.
    const awaiting = await verification.awaitingVerification(FAR, 1_000);
    expect(awaiting.filter(({ symbol }) => symbol === meta)).toHaveLength(1);
    const day = new Date((await bench.now()).getTime() + DAY);
    expect(await verification.endWaits({ ...SHARE, symbol: meta }, 'unreached', day)).toBe(0);
    await bench.arrange().advance(9 * DAY);
    expect(await verification.endWaits({ ...SHARE, symbol: meta }, 'unreached', await bench.now())).toBe(1);
    const due = await evaluations.claimDue(await bench.now(), FAR, 1_000);
    expect(due.map(({ decision }) => decision.record_id).toSorted()).toEqual([failed, deferred].toSorted());
    const ends = due.map((each) => endOf(each, none));
    await evaluations.endEvaluations(ends, await bench.now(), learned.at(-1)?.id);
    for (const { id } of learned) await withdraw(bench, id);
    expect((await states()).map(([symbol, state]) => [symbol, state])).toEqual([
      [fb, 'pending_verify'],
      [fb, 'evaluating'],
      [fb, 'evaluating'],
      over.slice(0, 2),
    ]);
    await grade(bench);
    expect(await samples(bench, { symbol: fb })).toBe(3);
    await expectCounted(bench);
  });

  test('a wrong one moves them, and its withdrawal moves them to where the next one says', async () => {
    const tag = newTag();
    const agent = await bench.agent();
    const { record_id } = await submit(bench, agent, { symbol: `OLD${tag}`, date: '2021-03-01' });
    await grade(bench);
    const symbol = async () => (await read(bench, agent, [record_id]))[0]?.symbol;
    const wrong = await learn(bench, aStatement({ name: `OLD${tag}`, until: '2022-01-01', key: `WRONG${tag}` }));
    expect(await symbol()).toBe(`WRONG${tag}`);
    const source = { kind: 'exchange', name: 'NYSE' } as const;
    await learn(bench, aStatement({ name: `OLD${tag}`, until: '2022-01-01', key: `RIGHT${tag}`, source }));
    expect(await symbol()).toBe(`WRONG${tag}`);
    await withdraw(bench, wrong.learned[0]?.id ?? 0);
    expect(await symbol()).toBe(`RIGHT${tag}`);
    await expectCounted(bench);
  });

  test('the withdrawal of a wrong one moves them back, though a rename waits that nobody believes', async () => {
    const tag = newTag();
    const agent = await bench.agent();
    const [old, newCo, third] = [`OLD${tag}`, `NEWCO${tag}`, `THIRD${tag}`];
    const symbol = async () => (await read(bench, agent, [record_id]))[0]?.symbol;
    const wrong = await learn(bench, aStatement({ name: old, key: newCo }));
    const { record_id } = await submit(bench, agent, { symbol: newCo, date: '2021-03-01', sent: old });
    await grade(bench);
    const source = { kind: 'vendor', name: 'v' } as const;
    await learn(bench, aStatement({ name: old, key: third, from: '2020-01-01', kind: 'renamed', source }));
    expect(await symbol()).toBe(newCo);
    await withdraw(bench, wrong.learned[0]?.id ?? 0);
    expect(await symbol()).toBe(old);
    await expectCounted(bench);
    expect(await faults(bench)).toEqual([]);
  });

  test('LUNA is LUNC until May 2022, next to a new LUNA', async () => {
    const tag = newTag();
    const [luna, lunc] = [`LUNA${tag}`, `LUNC${tag}`];
    const agent = await bench.agent();
    const pair = { market: 'crypto', venue: 'BINANCE', asset_class: 'spot', quote_currency: 'USDT' } as const;
    const submitted = async (symbol: string, date: string) => {
      const said = { ...pair, symbol, data_cutoff: `${date}T15:00:00.000Z` };
      const draft = await bench.draft(agent, said, { limits: NO_LIMITS });
      const { newest } = await newestNames(bench.storage().names);
      return receiptOf(await bench.storage().intake.submit({ ...draft, names: newest })).record_id;
    };
    const ids = [await submitted(`${luna}/USDT`, '2022-04-01'), await submitted(luna, '2022-07-01')];
    await grade(bench);
    const said = { market: 'crypto', venue: 'BINANCE' } as const;
    await learn(
      bench,
      aStatement({ ...said, name: luna, from: '2020-08-21', until: '2022-05-28', key: lunc }),
      aStatement({ ...said, name: lunc, from: '2022-05-28', key: lunc, kind: 'renamed' }),
      aStatement({ ...said, name: luna, from: '2022-05-31', key: luna, kind: 'reused' }),
    );
    expect((await read(bench, agent, ids)).map(({ symbol }) => symbol)).toEqual([lunc, luna]);
    expect(await samples(bench, { market: 'crypto', symbol: lunc })).toBe(1);
    expect(await samples(bench, { market: 'crypto', symbol: luna })).toBe(1);
    await expectCounted(bench);
  });
}

const NO_FILTER = {
  ...{ agent_id: null, group_id: null, market: null, symbols: null, venue: null, asset_class: null },
  ...{ quote_currency: null, direction: null, lifecycle_state: null, result_bucket: null, submitted_since: null },
  ...{ submitted_until: null, evaluated_since: null, include_archived: false },
  ...{ submission_origin: null, ended_since: null, ended_until: null },
};

function refusalTests(bench: Bench): void {
  test('what no name says is refused, and nothing changes', async () => {
    const tag = newTag();
    const agent = await bench.agent();
    const [fb, meta] = [`FB${tag}`, `META${tag}`];
    const { record_id } = await submit(bench, agent, { symbol: fb, date: '2021-03-01' });
    const { record_id: other } = await submit(bench, agent, { symbol: 'AAPL', date: '2021-03-01' });
    await grade(bench);
    await learn(bench, ...tagged(tag));
    const count = (id: string, symbol: string, wrong_security = false) =>
      bench.storage().namedRecords.count([{ record_id: id, symbol, wrong_security }]);
    for (const [id, symbol] of [[other, 'MSFT'] as const, [record_id, `ELSE${tag}`] as const]) {
      const { changed, refused } = await count(id, symbol);
      expect([changed, refused.map((each) => each.record_id)]).toEqual([0, [id]]);
      expect(String(refused[0]?.fault)).toMatch(/UPDATE on decisions is refused/);
    }
    expect((await read(bench, agent, [record_id, other])).map(({ symbol }) => symbol)).toEqual([meta, 'AAPL']);
    expect(await count(record_id, meta)).toEqual({ changed: 0, refused: [] });
    await expectCounted(bench);
  });
}

function gradeTests(bench: Bench): void {
  test('by the prices of another security stays, is in no cohort, and is counted among those left out', async () => {
    const tag = newTag();
    const agent = await bench.agent();
    const { record_id } = await submit(bench, agent, { symbol: `FB${tag}`, date: '2021-03-01' });
    await grade(bench, 'today');
    const { learned } = await learn(bench, ...tagged(tag));
    const [record] = await read(bench, agent, [record_id]);
    expect(record).toMatchObject({ symbol: `META${tag}`, wrong_security: true, result_bucket: 'strong_correct' });
    const filter = { market: 'stock', symbol: `META${tag}`, include_retroactive: true } as const;
    expect(await samples(bench, { symbol: `META${tag}` })).toBe(0);
    expect(await bench.storage().cohorts.ungraded(filter, 1)).toMatchObject({
      counts: { wrong_security: 1, suspected: 0 },
    });
    const tallies = await bench.storage().ownerRecords.tally(agent.owner_id, agent.agent_id, NO_TRACK_FILTER);
    expect(JSON.stringify(tallies)).toContain('"wrong_security"');
    await expectCounted(bench);
    expect(await faults(bench)).toEqual([]);
    for (const { id } of learned) await withdraw(bench, id);
    expect(await samples(bench, { symbol: `FB${tag}` })).toBe(1);
    await expectCounted(bench);
  });

  test('of a source that names by the date of the bars is that of the security', async () => {
    const tag = newTag();
    const agent = await bench.agent();
    const { record_id } = await submit(bench, agent, { symbol: `FB${tag}`, date: '2021-03-01' });
    const { record_id: fund } = await submit(bench, agent, { symbol: `META${tag}`, date: '2021-03-01' });
    const { record_id: other } = await submit(bench, agent, { symbol: `META${tag}`, date: '2021-12-01' });
    await grade(bench, 'of_date');
    await learn(bench, ...tagged(tag));
    const records = await read(bench, agent, [record_id, fund, other]);
    expect(records.map(({ symbol, wrong_security }) => [symbol, wrong_security])).toEqual([
      [`META${tag}`, false],
      // Nobody was META in March 2021, so that no prices of another one were there.
      [`META${tag}`, false],
      [`METV${tag}`, false],
    ]);
    await expectCounted(bench);
  });

  test('that was planned by older names is planned again; of a record that moved, by its new security', async () => {
    const tag = newTag();
    const agent = await bench.agent();
    const { record_id } = await submit(bench, agent, { symbol: `FB${tag}`, date: '2021-03-01' });
    const { newest } = await newestNames(bench.storage().names);
    const [claimed] = (await claim(bench)).filter(({ decision }) => decision.record_id === record_id);
    if (!claimed) throw new Error('It was due');
    await learn(bench, ...tagged(tag));
    const { evaluations } = bench.storage();
    expect(await evaluations.endEvaluations([endOf(claimed)], await bench.now(), newest)).toEqual([]);
    expect(await evaluations.endEvaluations([endOf(claimed)], await bench.now())).toEqual([]);
    const [again] = (await evaluations.claimDue(await bench.now(), FAR, 1_000)).filter(
      ({ decision }) => decision.record_id === record_id,
    );
    expect(again?.decision).toMatchObject({ symbol: `META${tag}`, lifecycle_state: 'evaluating' });
    if (!again) throw new Error('It is due again');
    const names = (await newestNames(bench.storage().names)).newest;
    expect(await evaluations.endEvaluations([endOf(again)], await bench.now(), names)).toEqual([record_id]);
  });

  test('bars of other names leave the cache, and those that were asked for by older names do not enter it', async () => {
    const tag = newTag();
    const { barCache } = bench.storage();
    const series = (symbol: string) => {
      return { source: 'test', size: '1d', instrument: { ...SHARE, symbol }, basis: 0 } as const;
    };
    const stretch = { from: 0, to: DAY, bars: [] };
    const { newest } = await newestNames(bench.storage().names);
    for (const symbol of [`META${tag}`, 'AAPL']) await barCache.keep(series(symbol), stretch, newest);
    await learn(bench, ...tagged(tag));
    expect(await barCache.find(series(`META${tag}`), 0, DAY)).toEqual([]);
    expect(await barCache.find(series('AAPL'), 0, DAY)).toHaveLength(1);
    await barCache.keep(series(`META${tag}`), stretch, newest);
    expect(await barCache.find(series(`META${tag}`), 0, DAY)).toEqual([]);
    await barCache.keep(series(`META${tag}`), stretch, (await newestNames(bench.storage().names)).newest);
    expect(await barCache.find(series(`META${tag}`), 0, DAY)).toHaveLength(1);
  });

  test('of a record that did not move is planned again, too, and is due at once', async () => {
    const tag = newTag();
    const agent = await bench.agent();
    const { record_id } = await submit(bench, agent, { symbol: `META${tag}`, date: '2023-03-01' });
    const { newest } = await newestNames(bench.storage().names);
    const [claimed] = (await claim(bench)).filter(({ decision }) => decision.record_id === record_id);
    if (!claimed) throw new Error('It was due');
    await learn(bench, ...tagged(tag));
    const { evaluations } = bench.storage();
    expect(await evaluations.endEvaluations([endOf(claimed)], await bench.now(), newest)).toEqual([]);
    const [again] = await evaluations.claimDue(await bench.now(), FAR, 1_000);
    expect(again?.decision.record_id).toBe(record_id);
    if (again) await evaluations.endEvaluations([endOf(again)], await bench.now());
  });
}

const NO_TRACK_FILTER = {
  ...{ symbols: null, direction: null, perspective_type: null, holding_seconds_min: null, holding_seconds_max: null },
  ...{ result_bucket: null, has_outcome: null, since: null, until: null },
};

/** Ports by which an import dies instead of making its nth call of a store. */
function dyingAt(bench: Bench, nth: number): ReturnType<typeof ports> {
  let calls = 0;
  const dying = <Store extends object>(store: Store): Store =>
    new Proxy(store, {
      get(of, name) {
        const call: unknown = Reflect.get(of, name);
        if (typeof call !== 'function') return call;
        return async (...args: unknown[]) => {
          calls += 1;
          if (calls === nth) throw new Error('power cut');
          return call.apply(of, args);
        };
      },
    });
  return {
    ...ports(bench),
    transaction: (work) =>
      bench.storage().transaction((own) => {
        const { names, namedRecords, jobs, audit } = own;
        const stores = { names: dying(names), namedRecords: dying(namedRecords), jobs: dying(jobs) };
        return work({ ...own, ...stores, audit: dying(audit) });
      }),
  };
}

function raceTests(bench: Bench): void {
  test('an import that dies at any of its steps leaves nothing, and the next one does all of it', async () => {
    const tag = newTag();
    const agent = await bench.agent();
    const { record_id } = await submit(bench, agent, { symbol: `FB${tag}`, date: '2021-03-01' });
    await grade(bench);
    const { newest } = await newestNames(bench.storage().names);
    await bench.arrange().advance(MINUTE);
    const symbol = async () => (await read(bench, agent, [record_id]))[0]?.symbol;
    let deaths = 0;
    for (;;) {
      const done = await learnNames(dyingAt(bench, deaths + 1), tagged(tag), 'test').catch((error: Error) => error);
      if (!(done instanceof Error)) break;
      expect(done.message).toBe('power cut');
      deaths += 1;
      expect([await symbol(), (await newestNames(bench.storage().names)).newest]).toEqual([`FB${tag}`, newest]);
    }
    expect(deaths).toBeGreaterThan(8);
    expect(await symbol()).toBe(`META${tag}`);
    await expectCounted(bench);
  });

  test.each(['before a page of records is read', 'after it was read'])(
    'with a check of the evidence, an import accuses no record: %s',
    async (moment) => {
      const tag = newTag();
      const agent = await bench.agent();
      await submit(bench, agent, { symbol: `FB${tag}`, date: '2021-03-01' });
      await grade(bench);
      const { evidence } = bench.storage();
      let read = 0;
      let imported = 0;
      const meanwhile: typeof evidence = {
        ...evidence,
        async recordsAfter(after, limit) {
          read += 1;
          const early = moment.startsWith('before') ? null : await evidence.recordsAfter(after, limit);
          if (read === 1) imported = (await learn(bench, ...tagged(tag))).recounted;
          return early ?? (await evidence.recordsAfter(after, limit));
        },
      };
      expect(await faults(bench, meanwhile)).toEqual([]);
      expect(imported).toBe(1);
      expect(await faults(bench)).toEqual([]);
    },
  );

  test('with submissions and grades, an import leaves no record under what it says no more', async () => {
    const tag = newTag();
    const agents = await Promise.all(Array.from({ length: 4 }, () => bench.agent()));
    const before = await Promise.all(
      agents.map((agent) => submit(bench, agent, { symbol: `FB${tag}`, date: '2021-03-01' })),
    );
    const claimed = await claim(bench);
    const { evaluations, intake, names } = bench.storage();
    const { newest } = await newestNames(names);
    const said = { ...SHARE, symbol: `FB${tag}`, data_cutoff: '2021-03-01T15:00:00.000Z' };
    const drafts = await Promise.all(
      agents.flatMap((agent) =>
        Array.from({ length: 5 }, () =>
          bench.draft(agent, { ...said, horizon_kind: 'trading_days', horizon_value: 5 }, { limits: NO_LIMITS }),
        ),
      ),
    );
    const now = await bench.now();
    const results = await Promise.all([
      learnNames(ports(bench), tagged(tag), 'test'),
      ...drafts.map((draft) => intake.submit({ ...draft, names: newest })),
      ...claimed.map((each) => evaluations.endEvaluations([endOf(each)], now, newest)),
    ]);
    const accepted = results.flatMap((each) => ('receipt' in each ? [each.receipt.record_id] : []));
    expect(results.filter((each) => 'verdict' in each && each.verdict !== 'replan')).toHaveLength(accepted.length);
    const ids = [...before.map(({ record_id }) => record_id), ...accepted];
    const records = (await Promise.all(agents.map((agent) => read(bench, agent, ids)))).flat();
    expect(new Set(records.map(({ symbol }) => symbol))).toEqual(new Set([`META${tag}`]));
    await grade(bench);
    expect(await samples(bench, { symbol: `META${tag}` })).toBe(ids.length);
    expect(await samples(bench, { symbol: `FB${tag}` })).toBe(0);
    await expectCounted(bench);
    expect(await faults(bench)).toEqual([]);
  });
}
