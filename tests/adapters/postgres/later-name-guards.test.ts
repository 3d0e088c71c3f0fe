import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { canonicalJson } from '../../../adapters/formats/canonical-json.ts';
import { foldAll } from '../../../application/cohorts/fold-cohorts.ts';
import { learnNames, learnShippedNames, newestNames } from '../../../application/market/names.ts';
import type { NameBook } from '../../../domain/market/name-book.ts';
import { isMapping } from '../../../domain/market/name-statement.ts';
import { MINUTE } from '../../../domain/time.ts';
import { type AgentCaller, NO_LIMITS, receiptOf } from '../../builders/decisions.ts';
import { aStatement, FACEBOOK } from '../../builders/names.ts';
import { type OpenedDatabase, onPostgres } from '../../contracts/decisions/adapters.ts';
import { benchOn } from '../../contracts/decisions/bench.ts';
import { endOf, evaluateAll, FAR } from '../../contracts/decisions/evaluated.ts';

let opened: OpenedDatabase;
let service: pg.Client;
afterAll(() => service.end());
const bench = benchOn({
  name: 'postgres',
  async open() {
    opened = await onPostgres(2);
    return opened;
  },
});

const refused = { code: '42501' };
let agent: AgentCaller;
/** Sent as FB and as AAPL, for a day of March 2021. */
let fb: string;
let aapl: string;
/** At COINBASE. */
let luna: string;
beforeAll(async () => {
  agent = await bench.agent();
  const share = { market: 'stock', venue: 'NASDAQ', asset_class: 'spot', quote_currency: 'USD' } as const;
  const said = { ...share, data_cutoff: '2021-03-01T15:00:00.000Z', horizon_kind: 'trading_days', horizon_value: 5 };
  const submit = async (symbol: string) =>
    receiptOf(await bench.submit(agent, { ...said, symbol } as never, { limits: NO_LIMITS })).record_id;
  [fb, aapl] = [await submit('FB'), await submit('AAPL')];
  luna = (await bench.accepted(agent, { symbol: 'LUNA' })).record_id;
  await evaluateAll(bench);
  const venue = aStatement({ market: 'crypto', name: 'LUNA', venue: 'KRAKEN', from: '2020-01-01', key: 'LUNC' });
  const later = aStatement({ name: 'AAPL', from: '2024-01-01', key: 'AAPL~2', kind: 'reused' });
  await learnNames({ ...bench.storage(), canonicalJson }, [...FACEBOOK, venue, later], 'test');
  service = new pg.Client({ connectionString: opened.serviceUrl });
  await service.connect();
});

const REFUSAL = expect.stringMatching(/^UPDATE on decisions is refused: .* no name says that it is /);
const count = async (record_id: string, symbol: string) => {
  const moved = 'select * from app.move_by_names(array[$1], array[$2], array[false], 1)';
  return (await service.query(moved, [record_id, symbol])).rows;
};
const symbolOf = async (record_id: string) =>
  (await opened.owner.query('select symbol, received_symbol from app.decisions where record_id = $1', [record_id]))
    .rows[0];

test("the service's role sets no symbol by hand, neither what counts nor what was received", async () => {
  for (const column of ['symbol', 'instrument', 'cohort_key', 'received_symbol', 'received_cohort_key']) {
    const update = service.query(`update app.decisions set ${column} = 'X' where record_id = $1`, [fb]);
    await expect(update).rejects.toMatchObject(refused);
  }
  const since = service.query('update app.decisions set counted_since = app.now() where record_id = $1', [fb]);
  await expect(since).rejects.toMatchObject(refused);
  expect(await symbolOf(fb)).toEqual({ symbol: 'META', received_symbol: 'FB' });
});

test.each([
  ['what no name is', 'MSFT'],
  ['what another name is', 'METV'],
])("the service's role counts a record under nothing but what names say: not %s", async (_, symbol) => {
  expect(await count(fb, symbol)).toEqual([{ changed: 0, refused: [fb], faults: [REFUSAL] }]);
  expect(await symbolOf(fb)).toEqual({ symbol: 'META', received_symbol: 'FB' });
});

test('nor what its name is at another time or venue, nor a record of which nothing is said', async () => {
  for (const [id, symbol] of [[luna, 'LUNC'] as const, [aapl, 'AAPL~2'] as const, [aapl, 'META'] as const]) {
    expect(await count(id, symbol)).toEqual([{ changed: 0, refused: [id], faults: [REFUSAL] }]);
  }
  expect(await symbolOf(aapl)).toEqual({ symbol: 'AAPL', received_symbol: null });
});

test('the owner of the schema is refused, too: a symbol with another cohort key, and one of another receipt', async () => {
  const update = (set: string) => opened.owner.query(`update app.decisions set ${set} where record_id = $1`, [fb]);
  const reading = `symbol = 'METV', instrument = 'stock:METV:NASDAQ:spot:USD'`;
  await expect(update(reading)).rejects.toMatchObject(refused);
  await expect(update(`received_symbol = 'AAPL'`)).rejects.toMatchObject(refused);
  await expect(
    update(`received_symbol = null, received_cohort_key = null, counted_since = null`),
  ).rejects.toMatchObject(refused);
});

test('a submission is received as what it was read as', async () => {
  const insert = `insert into app.decisions select (d).* from (
    select jsonb_populate_record(d, jsonb_build_object('record_id', 'dec_20260302_00000001')) as d
    from app.decisions d where record_id = $1) r`;
  await expect(opened.owner.query(insert, [fb])).rejects.toMatchObject(refused);
});

test('while an import holds up submissions, they wait and are accepted', async () => {
  const { owner } = opened;
  await owner.query('begin');
  await owner.query('select app.hold_submissions()');
  const { newest } = await newestNames(bench.storage().names);
  const submitted = bench
    .draft(agent, {}, { limits: NO_LIMITS })
    .then((draft) => bench.storage().intake.submit({ ...draft, names: newest }));
  const ended = submitted.then(
    () => true,
    () => true,
  );
  const isEnded = await Promise.race([ended, setTimeout(1_000, false)]);
  await owner.query('commit');
  expect(isEnded).toBe(false);
  expect(await submitted).toMatchObject({ verdict: 'accepted' });
});

test('while an import moves records, no end is written, no lease is renewed of what it holds, and nothing waits', async () => {
  const { owner } = opened;
  const { newest } = await newestNames(bench.storage().names);
  const draft = await bench.draft(agent, {}, { limits: NO_LIMITS });
  const { record_id } = receiptOf(await bench.storage().intake.submit({ ...draft, names: newest }));
  const { verification, evaluations } = bench.storage();
  for (const instrument of await verification.awaitingVerification(FAR, 100)) {
    await verification.settleVerification(instrument, 'verified');
  }
  const claimed = await evaluations.claimDue(FAR, FAR, 100);
  const leases = claimed.map(({ decision, token }) => ({ record_id: decision.record_id, token }));
  await owner.query('begin');
  await owner.query('select app.hold_grades()');
  await owner.query('select app.lock_cohort_folds()');
  await foldAll(bench.storage());
  await owner.query('select from app.decisions where record_id = $1 for no key update', [record_id]);
  expect(await evaluations.mayEnd()).toBe('wait');
  expect(
    await evaluations.endEvaluations(
      claimed.map((each) => endOf(each)),
      await bench.now(),
    ),
  ).toEqual([]);
  expect(await evaluations.renewLeases(leases, FAR)).not.toContain(record_id);
  await owner.query('commit');
  expect(await evaluations.mayEnd()).toBe('end');
  expect(await evaluations.mayEnd(0)).toBe('plan');
  expect(await evaluations.renewLeases(leases, FAR)).toContain(record_id);
  await evaluateAll(bench);
});

test('one record that the storage refuses to move stays, is reported, and keeps no other one from moving', async () => {
  const share = { market: 'stock', venue: 'NASDAQ', asset_class: 'spot', quote_currency: 'USD' } as const;
  const { newest } = await newestNames(bench.storage().names);
  const ids: string[] = [];
  for (const data_cutoff of ['2021-03-01T15:00:00.000Z', '2021-03-02T15:00:00.000Z', '2021-03-03T15:00:00.000Z']) {
    const said = { ...share, symbol: 'TWTR', data_cutoff, horizon_kind: 'trading_days', horizon_value: 5 };
    const draft = await bench.draft(agent, said as never, { limits: NO_LIMITS });
    ids.push(receiptOf(await bench.storage().intake.submit({ ...draft, names: newest })).record_id);
  }
  await opened.owner.query(`
    create function public.refuse_move() returns trigger language plpgsql as
      $$ begin raise exception 'UPDATE on decisions is refused' using errcode = '42501'; end $$;
    create trigger refuse_move before update of symbol on app.decisions for each row
      when (new.record_id = '${ids[1]}') execute function public.refuse_move()`);
  const reported: unknown[] = [];
  const report = (_: unknown, about?: object) => void reported.push(about);
  const said = aStatement({ name: 'TWTR', from: '2013-11-07', key: 'X' });
  await bench.arrange().advance(MINUTE);
  const { recounted } = await learnNames({ ...bench.storage(), canonicalJson, report }, [said], 'test');
  await opened.owner.query('drop function public.refuse_move cascade');
  expect(recounted).toBe(2);
  expect(reported).toEqual([{ record_id: ids[1] }]);
  const symbols = await Promise.all(ids.map(async (id) => (await symbolOf(id)).symbol));
  expect(symbols).toEqual(['X', 'TWTR', 'X']);
});

test('while one process learns the names of the release, another does nothing, and waits for nothing', async () => {
  const { owner } = opened;
  await owner.query('begin');
  await owner.query('select app.lock_names()');
  const ports = { ...bench.storage(), canonicalJson };
  expect((await learnShippedNames(ports)).learned).toEqual([]);
  await owner.query('commit');
  await bench.arrange().advance(10 * MINUTE);
  expect((await learnShippedNames(ports)).learned.length).toBeGreaterThan(10);
  expect((await learnShippedNames(ports)).learned).toEqual([]);
});

test('an import holds no record while it waits for those that count cohorts: none of the two waits for ever', async () => {
  const { owner } = opened;
  const { newest } = await newestNames(bench.storage().names);
  const share = { market: 'stock', venue: 'NASDAQ', asset_class: 'spot', quote_currency: 'USD' } as const;
  const said = { ...share, symbol: 'YHOO', data_cutoff: '2021-03-01T15:00:00.000Z' };
  const body = { ...said, horizon_kind: 'trading_days', horizon_value: 5 };
  const draft = await bench.draft(agent, body as never, { limits: NO_LIMITS });
  const { record_id } = receiptOf(await bench.storage().intake.submit({ ...draft, names: newest }));
  await evaluateAll(bench);
  await bench.arrange().advance(MINUTE);
  await owner.query('begin');
  await owner.query('select app.lock_cohort_folds()');
  const waiting = `select count(*)::int as waiting from pg_locks where not granted and locktype = 'advisory'
    and database = (select oid from pg_database where datname = current_database())`;
  let runs = 0;
  const transaction: OpenedDatabase['storage']['transaction'] = (work) =>
    bench.storage().transaction((own) => {
      runs += 1;
      return work(own);
    });
  const ports = { ...bench.storage(), transaction, canonicalJson };
  const learned = learnNames(ports, [aStatement({ name: 'YHOO', key: 'AABA' })], 'test');
  while ((await owner.query(waiting)).rows[0].waiting === 0) await setTimeout(20);
  await owner.query('update app.decisions set move = move where record_id = $1', [record_id]);
  await owner.query('commit');
  expect((await learned).recounted).toBe(1);
  // A deadlock would have ended one of the two, which is run again.
  expect(runs).toBe(1);
  expect(await symbolOf(record_id)).toEqual({ symbol: 'AABA', received_symbol: 'YHOO' });
});

test('a run in many parts counts each cell that it touched once', async () => {
  const share = { market: 'stock', venue: 'NASDAQ', asset_class: 'spot', quote_currency: 'USD' } as const;
  const { newest } = await newestNames(bench.storage().names);
  const ids: string[] = [];
  for (let n = 0; n < 6; n += 1) {
    const said = { ...share, symbol: 'SNDK', data_cutoff: `2021-03-0${1 + (n % 2)}T15:00:00.000Z` };
    const body = { ...said, horizon_kind: 'trading_days', horizon_value: 5 };
    const draft = await bench.draft(agent, body as never, { limits: NO_LIMITS });
    ids.push(receiptOf(await bench.storage().intake.submit({ ...draft, names: newest })).record_id);
  }
  await evaluateAll(bench);
  await bench.storage().cohortCells.fold(10_000);
  const { owner } = opened;
  await bench.arrange().advance(MINUTE);
  await learnNames({ ...bench.storage(), canonicalJson }, [aStatement({ name: 'SNDK', key: 'WDCX' })], 'test');
  await bench.storage().cohortCells.fold(10_000);
  await owner.query(`
    create table public.counted (cell text);
    create function public.note_cell() returns trigger language plpgsql as
      $$ begin
        insert into public.counted
          select (to_jsonb(old) - '{n,earliest,latest,owners,moves,last_graded}'::text[])::text;
        return old;
      end $$;
    create trigger note_cell before delete on app.cohort_cells for each row execute function public.note_cell()`);
  const back = 'select * from app.move_by_names($1, $2, $3, 1)';
  const { rows } = await owner.query(back, [ids, ids.map(() => 'SNDK'), ids.map(() => false)]);
  expect(rows).toEqual([{ changed: 6, refused: [], faults: [] }]);
  const { rows: counted } = await owner.query(
    'select count(*)::int as all, count(distinct cell)::int as cells from public.counted',
  );
  await owner.query('drop function public.note_cell cascade; drop table public.counted');
  expect(counted[0].cells).toBeGreaterThan(10);
  expect(counted[0].all).toBe(counted[0].cells);
  expect(await bench.storage().cohortCells.check()).toEqual([]);
});

test('statements are learned when the wait for another import ends, however long it was', async () => {
  const { owner } = opened;
  await owner.query('begin');
  await owner.query('select app.lock_names()');
  const said = aStatement({ name: 'SQ', key: 'XYZ' });
  const done = learnNames({ ...bench.storage(), canonicalJson }, [said], 'test');
  const ended = done.then(
    () => true,
    () => true,
  );
  const isEnded = await Promise.race([ended, setTimeout(200, false)]);
  expect(isEnded).toBe(false);
  await bench.arrange().advance(10 * MINUTE);
  await owner.query('commit');
  expect((await done).learned).toHaveLength(1);
});

/** Each reading of a name as another security, on the lines and about the days of all statements with that name. */
function movesOf(book: NameBook) {
  const dayAfter = (date: string, days: number) =>
    new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);
  const lines = new Set(book.statements.map((each) => [each.venue, each.asset_class, each.quote].join(' ')));
  return [...new Set(book.statements.map(({ market, name }) => `${market} ${name}`))].flatMap((of) => {
    const said = book.statements.filter((each) => isMapping(each) && `${each.market} ${each.name}` === of);
    const keys = new Set(said.map(({ key }) => key));
    const about = book.statements.filter((each) => each.market === said[0]?.market && keys.has(each.key));
    const turns = about.flatMap(({ from, until }) => [from, until ?? '2026-01-01']).filter((date) => date > '1000');
    const dates = new Set(turns.flatMap((date) => [-400, -1, 0, 1].map((days) => dayAfter(date, days))));
    return [...lines].flatMap((pins) =>
      said.slice(0, 1).flatMap(({ market, name }) =>
        [...dates].flatMap((date) => {
          const [venue = '', asset_class = '', quote = ''] = pins.split(' ');
          const line = { venue: venue || 'X', asset_class: asset_class || 'spot', quote_currency: quote || 'USD' };
          const read = book.read({ market, name, ...line } as never, date, '2026-11-29');
          const moved = { market, ...line, symbol: read?.key, received: name, anchor_time: `${date}T12:00:00Z` };
          return read === null || read.key === name ? [] : [moved];
        }),
      ),
    );
  });
}

test('each move by the names of the release is one that the storage takes', async () => {
  await learnShippedNames({ ...bench.storage(), canonicalJson });
  const moves = movesOf(await newestNames(bench.storage().names));
  expect(moves.length).toBeGreaterThan(1_000);
  const { rows } = await service.query(
    `select r as refused from jsonb_array_elements($1::jsonb) r
      where not app.names_say(jsonb_populate_record(null::app.decisions, r), r ->> 'received')`,
    [JSON.stringify(moves)],
  );
  expect(rows).toEqual([]);
});
