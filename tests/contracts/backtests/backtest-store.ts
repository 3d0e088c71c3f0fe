import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { BacktestRow, ClaimedRows, RowEnd, RowTally, SetName } from '../../../domain/backtests/backtest.ts';
import { BACKTEST } from '../../../domain/limits.ts';
import { DAY, HOUR, MINUTE } from '../../../domain/time.ts';
import { ABOUT, aGrade, aRow } from '../../builders/backtests.ts';
import type { AgentCaller } from '../../builders/decisions.ts';
import { race } from '../adapters.ts';
import type { Bench, DecisionContract } from '../decisions/bench.ts';

const BEGUN = new Date('2025-06-02T08:00:00.000Z');
const later = (millis: number, from = BEGUN) => new Date(from.getTime() + millis);

/** The promises of sets of back-tests. */
export const backtestContract: DecisionContract = {
  name: 'back-tests',
  promises(bench) {
    let agent: AgentCaller;
    beforeEach(async () => {
      agent = await bench.agent();
    });
    afterEach(async () => {
      const { backtests } = bench.storage();
      for (const set of await backtests.list(agent.owner_id)) await backtests.remove(set);
      while ((await backtests.prune(1_000)) > 0);
    });
    describe('rows', () => receiving(bench, () => agent));
    describe('grading', () => grading(bench, () => agent));
    describe('reading', () => reading(bench, () => agent));
    describe('removing', () => removing(bench, () => agent));
  },
};

export const nameOf = ({ owner_id, agent_id }: AgentCaller, name = 'one'): SetName => ({ owner_id, agent_id, name });

const ids = (found: ReadonlySet<string>) => [...found].toSorted();

export async function send(
  bench: Bench,
  agent: AgentCaller,
  rows: readonly BacktestRow[],
  name = 'one',
  about = ABOUT,
) {
  const now = await bench.now();
  return bench
    .storage()
    .transaction(({ backtests }) => backtests.receive({ ...nameOf(agent, name), about, rows }, now));
}

export async function setIdOf(bench: Bench, agent: AgentCaller, name = 'one'): Promise<number> {
  const set = await bench.storage().backtests.find(nameOf(agent, name));
  if (!set) throw new Error(`There is no set ${name}.`);
  return set.set_id;
}

export async function claim(bench: Bench, limit = 100): Promise<ClaimedRows | null> {
  const now = await bench.now();
  return bench.storage().backtests.claim(now, later(MINUTE, now), limit);
}

/** Claims what is due, which must be something. */
async function claimed(bench: Bench, limit = 100): Promise<ClaimedRows> {
  const found = await claim(bench, limit);
  if (!found) throw new Error('Nothing is due.');
  return found;
}

const idsOf = ({ rows }: ClaimedRows) => rows.map(({ decision }) => decision.anchor_time.toISOString());

export const gradedEnd = ({ decision: { record_id }, token }: ClaimedRows['rows'][number], known_at: Date): RowEnd => ({
  ...{ record_id, token, result: aGrade(known_at), retry_at: null },
});

function receiving(bench: Bench, agent: () => AgentCaller): void {
  test('are added once, however often they are sent; another body of an id changes nothing', async () => {
    const [a, b] = [aRow('a', BEGUN), aRow('b', later(HOUR))];
    const first = await send(bench, agent(), [a, b]);
    expect(first).toMatchObject({ kind: 'received', holdings: { rows: 2, sets: 1, instruments: 1 } });
    expect('accepted' in first && ids(first.accepted)).toEqual(['a', 'b']);
    const again = await send(bench, agent(), [a, aRow('b', later(2 * HOUR)), aRow('c', BEGUN, { symbol: 'ETH' })]);
    expect('accepted' in again && [ids(again.accepted), ids(again.other)]).toEqual([['c'], ['b']]);
    expect(again).toMatchObject({ holdings: { rows: 3, sets: 1, instruments: 2 } });
    const stored = await bench.storage().backtests.rows(await setIdOf(bench, agent()), null, 10);
    expect(stored.map(({ external_id, body }) => [external_id, body])).toEqual([
      ['a', a.body],
      ['b', b.body],
      ['c', aRow('c', BEGUN, { symbol: 'ETH' }).body],
    ]);
  });

  test('of a long request are added and graded once each, as one', async () => {
    const count = 5 * BACKTEST.slice + 1;
    const rows = Array.from({ length: count }, (_, n) => aRow(`r${n}`, later(n * MINUTE)));
    const bytes = rows.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);
    expect(await send(bench, agent(), rows)).toMatchObject({ holdings: { rows: count, bytes, instruments: 1 } });
    const found = await claimed(bench, count);
    const ends = found.rows.map((row) => gradedEnd(row, later(DAY, row.decision.anchor_time)));
    expect(await bench.storage().backtests.end(found, ends)).toBe(count);
    const stored = await bench.storage().backtests.rows(await setIdOf(bench, agent()), null, count + 1);
    expect(stored.map(({ external_id, body, known_at }) => [external_id, body, known_at])).toEqual(
      rows.map(({ external_id, body, anchor_time }) => [external_id, body, later(DAY, anchor_time)]),
    );
  });

  test('of another `about` are refused; another name, or agent, is another set', async () => {
    await send(bench, agent(), [aRow('a', BEGUN)]);
    const other = { ...ABOUT, horizon_rule: 'two hours' };
    expect(await send(bench, agent(), [aRow('b', BEGUN)], 'one', other)).toEqual({ kind: 'other_about', about: ABOUT });
    expect(await send(bench, agent(), [aRow('a', BEGUN)], 'two', other)).toMatchObject({
      holdings: { sets: 2, rows: 2 },
    });
    const mate = await bench.agent(agent());
    expect(await send(bench, mate, [aRow('a', BEGUN)])).toMatchObject({ holdings: { sets: 3, rows: 3 } });
    const { owner_id } = agent();
    const listed = await bench.storage().backtests.list(owner_id);
    expect(listed.map(({ agent_id, name, rows }) => [agent_id, name, rows])).toEqual(
      [
        [agent().agent_id, 'one', 1],
        [agent().agent_id, 'two', 1],
        [mate.agent_id, 'one', 1],
      ].toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
    );
    expect(listed[0]?.about).toEqual(ABOUT);
  });

  test('make a set: without any there is none, nor its `about`', async () => {
    const nothing = { accepted: new Set(), other: new Set(), holdings: { rows: 0, bytes: 0, sets: 0, instruments: 0 } };
    expect(await send(bench, agent(), [])).toEqual({ kind: 'received', ...nothing });
    expect(await bench.storage().backtests.list(agent().owner_id)).toEqual([]);
    const other = { ...ABOUT, horizon_rule: 'two hours' };
    expect(await send(bench, agent(), [aRow('a', BEGUN)], 'one', other)).toMatchObject({ holdings: { sets: 1 } });
  });

  test('of 20 at once are added once each, and what an owner has is exact', async () => {
    const rows = Array.from({ length: 30 }, (_, n) =>
      aRow(`r${n}`, later(n * HOUR), { symbol: n % 2 ? 'BTC' : 'ETH' }),
    );
    const replies = await race(20, (n) => send(bench, agent(), rows.slice(n, n + 10)));
    const accepted = replies.flatMap((each) => ('accepted' in each ? ids(each.accepted) : []));
    expect(accepted.toSorted()).toEqual(
      rows
        .slice(0, 29)
        .map(({ external_id }) => external_id)
        .toSorted(),
    );
    const bytes = rows.slice(0, 29).reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);
    const last = await send(bench, agent(), []);
    expect(last).toMatchObject({ holdings: { rows: 29, bytes, sets: 1, instruments: 2 } });
  });

  test('of a request that is refused leave nothing behind, no set either', async () => {
    const now = await bench.now();
    const rows = Array.from({ length: 5 * BACKTEST.slice + 1 }, (_, n) => aRow(`r${n}`, later(n * MINUTE)));
    const refused = bench.storage().transaction(async ({ backtests }) => {
      await backtests.receive({ ...nameOf(agent()), about: ABOUT, rows }, now);
      throw new Error('no');
    });
    await expect(refused).rejects.toThrow('no');
    expect(await bench.storage().backtests.find(nameOf(agent()))).toBeNull();
    expect(await claim(bench)).toBeNull();
  });

  test('are refused to an owner who is gone, for an agent of somebody else, and for an archived one', async () => {
    const { owner_id, agent_id } = agent();
    const [stranger, mate] = [await bench.agent(), await bench.agent(agent())];
    await bench.storage().agents.archive(owner_id, mate.agent_id);
    const sending = (as: Partial<AgentCaller>) => send(bench, { ...agent(), ...as }, [aRow('a', BEGUN)]);
    await expect(sending({ agent_id: stranger.agent_id })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(sending({ agent_id: mate.agent_id })).rejects.toMatchObject({ code: 'AGENT_ARCHIVED' });
    const gone = '00000000-0000-7000-8000-000000000000';
    await expect(sending({ owner_id: gone, agent_id })).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  });
}

function grading(bench: Bench, agent: () => AgentCaller): void {
  const end = (rows: ClaimedRows, ends: readonly RowEnd[]) => bench.storage().backtests.end(rows, ends);

  test('is of one instrument at a time, in the order of its windows, and of no row twice', async () => {
    const rows = [
      aRow('b', later(HOUR)),
      aRow('a', BEGUN),
      aRow('c', later(2 * HOUR)),
      aRow('d', BEGUN, { symbol: 'ETH' }),
    ];
    await send(bench, agent(), rows);
    const first = await claimed(bench, 2);
    const second = await claimed(bench);
    expect(await claim(bench)).toBeNull();
    const both = [first, second].toSorted((a, b) => b.rows.length - a.rows.length);
    expect(both.map(({ rows: [row] }) => row?.decision.symbol)).toEqual(['BTC', 'ETH']);
    expect(both[0] && idsOf(both[0])).toEqual([BEGUN, later(HOUR)].map((at) => at.toISOString()));
    expect(both.map(({ more }) => more)).toEqual([true, false]);
    expect(both[0]?.rows[0]?.decision).toMatchObject({
      ...{ market: 'crypto', venue: 'COINBASE', direction: 'bullish', submission_origin: 'retroactive', attempts: 0 },
      ...{ data_cutoff: BEGUN, submission: { symbol: 'BTC', horizon_value: 3_600 } },
    });
    for (const each of both)
      expect(
        await end(
          each,
          each.rows.map((row) => gradedEnd(row, later(2 * HOUR))),
        ),
      ).toBe(each.rows.length);
    const rest = await claimed(bench);
    expect(idsOf(rest)).toEqual([later(2 * HOUR).toISOString()]);
    await end(
      rest,
      rest.rows.map((row) => gradedEnd(row, later(4 * HOUR))),
    );
    expect([await claim(bench), await bench.storage().backtests.nextDue()]).toEqual([null, null]);
  });

  test('of 8 processes at once is of each row once', async () => {
    const symbols = ['BTC', 'ETH', 'SOL', 'ADA'];
    const rows = symbols.flatMap((symbol) => [0, 1, 2].map((n) => aRow(`${symbol}${n}`, later(n * HOUR), { symbol })));
    await send(bench, agent(), rows);
    const ended = await race(8, async () => {
      let total = 0;
      for (let found = await claim(bench, 2); found; found = await claim(bench, 2)) {
        const { rows: due } = found;
        total += await end(
          found,
          due.map((row) => gradedEnd(row, later(DAY))),
        );
      }
      return total;
    });
    const left = await bench.storage().backtests.nextDue();
    expect(left).toBeNull();
    expect(ended.reduce((sum, n) => sum + n, 0)).toBe(rows.length);
  });

  test('loses no row that is added while others of its instrument are graded', async () => {
    const work = async () => {
      for (let found = await claim(bench, 2); found; found = await claim(bench, 2)) {
        const { rows: due } = found;
        await end(
          found,
          due.map((row) => gradedEnd(row, later(DAY))),
        );
      }
    };
    const rounds = bench.runs(20);
    for (let round = 0; round < rounds; round += 1) {
      const sends = race(4, (n) => send(bench, agent(), [aRow(`${round} ${n}`, later((round * 4 + n) * HOUR))]));
      await Promise.all([sends, race(4, work)]);
    }
    await work();
    const { tallies } = await bench.storage().backtests.tally(await setIdOf(bench, agent()), await bench.now());
    const graded = tallies.filter(({ facet, record_group }) => facet === 'all' && record_group === 'weak_correct');
    expect(graded.reduce((sum, { records }) => sum + records, 0)).toBe(rounds * 4);
  });

  test('that takes longer than its lease is void once another process has the rows', async () => {
    await send(bench, agent(), [aRow('a', BEGUN)]);
    const slow = await claimed(bench);
    expect(await claim(bench)).toBeNull();
    await bench.arrange().advance(MINUTE);
    const quick = await claimed(bench);
    expect(
      await end(
        slow,
        slow.rows.map((row) => gradedEnd(row, later(DAY))),
      ),
    ).toBe(0);
    expect(
      await end(
        quick,
        quick.rows.map((row) => gradedEnd(row, later(2 * HOUR))),
      ),
    ).toBe(1);
    const [row] = await bench.storage().backtests.rows(await setIdOf(bench, agent()), null, 1);
    expect(row).toMatchObject({
      known_at: later(2 * HOUR),
      record_group: 'weak_correct',
      outcome: { facts: { z: 0.4 } },
    });
  });

  test('goes on for as long as its claim is renewed, which nobody can who has lost it', async () => {
    await send(bench, agent(), [aRow('a', BEGUN)]);
    const slow = await claimed(bench);
    const renew = async (each: ClaimedRows) => {
      const now = await bench.now();
      return bench.storage().backtests.renew(each, later(MINUTE, now));
    };
    await bench.arrange().advance(MINUTE / 2);
    expect(await renew(slow)).toBe(true);
    await bench.arrange().advance(MINUTE / 2);
    expect(await claim(bench)).toBeNull();
    await bench.arrange().advance(MINUTE);
    const other = await claimed(bench);
    expect(await renew(slow)).toBe(false);
    await end(other, []);
    expect([await renew(other), (await claimed(bench)).rows.length]).toEqual([false, 1]);
  });

  test('finds rows that are added while others of their instrument are graded', async () => {
    await send(bench, agent(), [aRow('a', BEGUN)]);
    const first = await claimed(bench);
    await send(bench, agent(), [aRow('b', later(HOUR))]);
    await end(
      first,
      first.rows.map((row) => gradedEnd(row, later(DAY))),
    );
    expect(idsOf(await claimed(bench))).toEqual([later(HOUR).toISOString()]);
  });

  test('that has no outcome is tried again, or ends with its reason', async () => {
    await send(bench, agent(), [
      aRow('a', BEGUN),
      aRow('b', later(HOUR)),
      aRow('c', later(2 * HOUR)),
      aRow('d', later(3 * HOUR)),
    ]);
    const found = await claimed(bench);
    const retry_at = later(HOUR, await bench.now());
    const none = { kind: 'data_unavailable', reason: 'no_trade', detail: 'Nothing.' } as const;
    const wait = { kind: 'deferred', reason: 'coverage', detail: 'Half.' } as const;
    const outcomes: readonly Partial<RowEnd>[] = [
      { result: none, retry_at: null },
      { result: wait, retry_at },
      { result: wait, retry_at: null, rejected: true },
      {
        result: { kind: 'postponed', reason: 'not_settled', detail: 'Soon.', until: retry_at, settles_at: retry_at },
        retry_at: null,
      },
    ];
    const ends = found.rows.map((row, n) => ({ ...gradedEnd(row, BEGUN), ...outcomes[n] }));
    expect(await end(found, ends)).toBe(4);
    const stored = await bench.storage().backtests.rows(await setIdOf(bench, agent()), null, 10);
    expect(stored.map(({ record_group, ungraded, last_error }) => [record_group, ungraded, last_error])).toEqual([
      ['unavailable', 'no_trade', 'no_trade: Nothing.'],
      ['pending', null, 'coverage: Half.'],
      ['unavailable', 'rejected', 'coverage: Half.'],
      ['pending', null, 'not_settled: Soon.'],
    ]);
    expect(stored[3]?.settles_at).toEqual(retry_at);
    expect(await claim(bench)).toBeNull();
    expect(await bench.storage().backtests.nextDue()).toEqual(retry_at);
    await bench.arrange().freeze(retry_at);
    expect((await claimed(bench)).rows.map(({ decision }) => decision.attempts)).toEqual([1, 0]);
  });

  test('keeps what a source said in characters that can be stored: a row that could not end would hold up all', async () => {
    await send(bench, agent(), [aRow('a', BEGUN)]);
    const found = await claimed(bench);
    const detail = 'a\u0000b\ud800c';
    const wait = { kind: 'postponed', reason: 'source_unavailable', detail, until: later(HOUR) } as const;
    const ends = found.rows.map((row) => ({ ...gradedEnd(row, BEGUN), result: wait }));
    expect(await end(found, ends)).toBe(1);
    const [row] = await bench.storage().backtests.rows(await setIdOf(bench, agent()), null, 1);
    expect(row?.last_error).toBe('source_unavailable: a\ufffdb\ufffdc');
  });

  test('leaves rows of a method that this version does not know to one that does', async () => {
    await send(bench, agent(), [aRow('a', BEGUN, { method: 'eval/9' })]);
    expect([await claim(bench), await bench.storage().backtests.nextDue()]).toEqual([null, null]);
  });

  test('begins when the prices have settled', async () => {
    const now = await bench.now();
    await send(bench, agent(), [aRow('a', BEGUN, { settles_at: later(HOUR, now) })]);
    expect([await claim(bench), await bench.storage().backtests.nextDue()]).toEqual([null, later(HOUR, now)]);
    await bench.arrange().advance(HOUR);
    expect((await claimed(bench)).rows).toHaveLength(1);
  });
}

function reading(bench: Bench, agent: () => AgentCaller): void {
  /** Three graded rows of bitcoin and one that waits, one of ether. */
  const filled = async () => {
    const model = { knowledge_cutoff: '2025-07-01' };
    await send(bench, agent(), [
      aRow('a', BEGUN, { confidence: 0.65, model }),
      aRow('b', later(31 * DAY), { confidence: 1, direction: 'bearish', model }),
      aRow('c', later(32 * DAY)),
      aRow('d', later(33 * DAY), { settles_at: later(HOUR, await bench.now()) }),
      aRow('e', BEGUN, { symbol: 'ETH' }),
    ]);
    for (let found = await claim(bench); found; found = await claim(bench)) {
      const { rows } = found;
      const ends = rows.map((row) => gradedEnd(row, later(2 * HOUR, row.decision.anchor_time)));
      await bench.storage().backtests.end(found, ends);
    }
    return setIdOf(bench, agent());
  };

  test('counts rows in each facet', async () => {
    const { tallies, windows, ...counts } = await bench.storage().backtests.tally(await filled(), await bench.now());
    expect(counts).toEqual({ instruments: 2, ungraded_yet: 0, tried_again: 0, first: BEGUN, last: later(33 * DAY) });
    expect(windows).toHaveLength(4);
    const of = (facet: string) =>
      Object.fromEntries(
        [
          ...Map.groupBy(
            tallies.filter((each: RowTally) => each.facet === facet),
            ({ key }) => key,
          ),
        ].map(([key, same]) => [key, same.reduce((sum, { records }) => sum + records, 0)]),
      );
    expect(of('all')).toEqual({ '': 5 });
    expect(of('direction')).toEqual({ bullish: 4, bearish: 1 });
    expect(of('month')).toEqual({ '2025-06': 2, '2025-07': 3 });
    expect(of('confidence')).toEqual({ 6: 1, 9: 1 });
    expect(of('knowledge')).toEqual({ before: 1, after: 1, without: 3 });
    const pending = tallies.filter(({ facet, record_group }) => facet === 'all' && record_group === 'pending');
    expect(pending).toEqual([
      { facet: 'all', key: '', record_group: 'pending', ungraded: null, move: null, records: 1 },
    ]);
  });

  test('has pages of rows in the order of receipt', async () => {
    const set_id = await filled();
    const { backtests } = bench.storage();
    const first = await backtests.rows(set_id, null, 2);
    const rest = await backtests.rows(set_id, first.at(-1)?.row_id ?? null, 10);
    expect(new Set([...first, ...rest].map(({ external_id }) => external_id)).size).toBe(5);
    expect([first.length, rest.length]).toEqual([2, 3]);
    expect(first[0]).toMatchObject({ market: 'crypto', direction: expect.any(String), received_at: await bench.now() });
  });

  test('for recall has the newest windows of one security that began by a time, as they were known then', async () => {
    const set_id = await filled();
    const recall = (as_of: Date, limit = 10) =>
      bench.storage().backtests.recall(set_id, { market: 'crypto', symbol: 'BTC' }, as_of, limit);
    const shown = ({ rows }: Awaited<ReturnType<typeof recall>>) =>
      rows.map(({ external_id, known_at, outcome }) => [external_id, known_at, outcome !== null]);
    const atKnown = later(32 * DAY + 2 * HOUR);
    expect(shown(await recall(atKnown))).toEqual([
      ['c', atKnown, true],
      ['b', later(31 * DAY + 2 * HOUR), true],
      ['a', later(2 * HOUR), true],
    ]);
    expect(shown(await recall(later(-1, atKnown), 2))).toEqual([
      ['c', null, false],
      ['b', later(31 * DAY + 2 * HOUR), true],
    ]);
    expect((await recall(later(-1, atKnown), 2)).ungraded_yet).toBe(0);
    expect(shown(await recall(later(-1)))).toEqual([]);
    await bench.arrange().advance(HOUR);
    expect(await recall(await bench.now())).toMatchObject({ rows: { length: 4 }, ungraded_yet: 1 });
  });
}

function removing(bench: Bench, agent: () => AgentCaller): void {
  test('takes a set out of every view at once, by one of 8 at once; its rows are deleted step by step', async () => {
    const rows = Array.from({ length: 5 }, (_, n) => aRow(`r${n}`, later(n * HOUR)));
    await send(bench, agent(), rows);
    const running = await claimed(bench);
    const { backtests } = bench.storage();
    const removed = await race(8, () => backtests.remove(nameOf(agent())));
    expect(removed.filter((each) => each)).toHaveLength(1);
    expect([await backtests.find(nameOf(agent())), await backtests.list(agent().owner_id)]).toEqual([null, []]);
    await bench.arrange().advance(MINUTE);
    expect([await claim(bench), await backtests.nextDue()]).toEqual([null, null]);
    expect(await send(bench, agent(), [aRow('r1', BEGUN)])).toMatchObject({ holdings: { rows: 1, sets: 1 } });
    const pruned: number[] = [];
    for (let count = await backtests.prune(2); count > 0; count = await backtests.prune(2)) pruned.push(count);
    expect(pruned.reduce((sum, n) => sum + n, 0)).toBe(6);
    expect(pruned.length).toBeGreaterThan(2);
    expect(
      await backtests.end(
        running,
        running.rows.map((row) => gradedEnd(row, later(DAY))),
      ),
    ).toBe(0);
    expect(await backtests.rows(await setIdOf(bench, agent()), null, 10)).toHaveLength(1);
  });

  test('while rows are sent and others pruned ends with the set whole, or gone', async () => {
    const { backtests } = bench.storage();
    for (let round = 0; round < bench.runs(20); round += 1) {
      await send(bench, agent(), [aRow(`${round}`, BEGUN)]);
      const clear = async () => {
        await backtests.remove(nameOf(agent()));
        for (let n = 0; n < 3; n += 1) await backtests.prune(10);
      };
      const sends = race(4, (n) => send(bench, agent(), [aRow(`${round} ${n}`, later(n * HOUR), { symbol: `S${n}` })]));
      const [replies] = await Promise.all([sends, race(4, clear)]);
      for (const reply of replies) expect('accepted' in reply && reply.accepted.size).toBe(1);
    }
  });

  test('is for the owner and the agent of the set alone', async () => {
    await send(bench, agent(), [aRow('a', BEGUN)]);
    const [stranger, mate] = [await bench.agent(), await bench.agent(agent())];
    const { backtests } = bench.storage();
    expect([await backtests.remove(nameOf(stranger)), await backtests.remove(nameOf(mate))]).toEqual([false, false]);
    expect(await backtests.find({ ...nameOf(agent()), owner_id: stranger.owner_id })).toBeNull();
    expect(await backtests.find(nameOf(agent()))).not.toBeNull();
  });
}
