import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type AgentList, agentLists } from '../../../../adapters/postgres/decisions/agent-lists.ts';
import { postgresOwnerRecords } from '../../../../adapters/postgres/decisions/owner-records.ts';
import { openDataSource, type PooledDataSource, poolSql } from '../../../../adapters/postgres/kit/data-source.ts';
import type { Sql } from '../../../../adapters/postgres/kit/sql.ts';
import { trackRecord } from '../../../../domain/decisions/own/track-record.ts';
import type { AgentCaller } from '../../../builders/decisions.ts';
import { type OpenedDatabase, onPostgres } from '../../../contracts/decisions/adapters.ts';
import { benchOn } from '../../../contracts/decisions/bench.ts';
import { ALL_COUNTED } from '../../../contracts/owner-records/filters.ts';

let opened: OpenedDatabase;
let source: PooledDataSource;
/** Before the database is removed. */
afterAll(() => source.destroy());
const bench = benchOn({
  name: 'postgres',
  async open() {
    opened = await onPostgres(2);
    return opened;
  },
});
beforeAll(async () => {
  source = await openDataSource({ url: opened.serviceUrl, poolSize: 2 });
});

/** The lists of a process, with the names of the statements that it has run. */
function aProcess(before: (name: string) => Promise<unknown> = async () => undefined) {
  const names: string[] = [];
  let start = 'pg_postmaster_start_time()';
  const sql = poolSql(source);
  const rows: Sql['rows'] = async (text, values, name = '') => {
    names.push(name);
    await before(name);
    return sql.rows(text.replace('pg_postmaster_start_time()', start), values, `${name} ${start.length}`);
  };
  const restart = () => {
    start = "(pg_postmaster_start_time() + interval '1 second')";
  };
  return { list: agentLists({ ...sql, rows }), names, restart };
}

const pageOf = ({ owner_id, agent_id }: AgentCaller): AgentList => {
  return { owner_id, agent_id, include_archived: false, after: null, limit: 20 };
};
const archive = (record_id: string) =>
  opened.owner.query('update app.decisions set archived_at = app.now() where record_id = $1', [record_id]);

test('the row of a version is read once by each process, and another version is another record', async () => {
  const agent = await bench.agent();
  const { list, names } = aProcess();
  const first = await bench.accepted(agent);
  const [held] = await list(pageOf(agent));
  await bench.arrange().advance(1);
  await bench.accepted(agent, { symbol: 'SOL' });
  const both = await list(pageOf(agent));
  expect([both.length, both.at(-1) === held]).toEqual([2, true]);
  expect(await list(pageOf(agent))).toEqual(both);
  expect(names).toEqual(['agent-lists', 'listed-records', 'agent-lists', 'listed-records', 'agent-lists']);
  await opened.owner.query('update app.decisions set record_id = record_id where record_id = $1', [first.record_id]);
  const after = await list(pageOf(agent));
  expect([after.length, after[0] === both[0], after[1] === held]).toEqual([2, true, false]);
});

test('a page is read anew when a record changes before its row is read', async () => {
  const agent = await bench.agent();
  const [first, second] = [await bench.accepted(agent), await bench.accepted(agent, { symbol: 'SOL' })];
  let isFirst = true;
  const { list, names } = aProcess(async (name) => {
    if (name === 'listed-records' && isFirst) await archive(first.record_id);
    isFirst &&= name !== 'listed-records';
  });
  expect((await list(pageOf(agent))).map(({ record_id }) => record_id)).toEqual([second.record_id]);
  expect(names).toEqual(['agent-lists', 'listed-records', 'agent-lists']);
});

test('nothing is held of a server that another one took over from', async () => {
  const agent = await bench.agent();
  await bench.accepted(agent);
  const { list, names, restart } = aProcess();
  const [held] = await list(pageOf(agent));
  restart();
  const [again] = await list(pageOf(agent));
  expect([again === held, again?.record_id]).toEqual([false, held?.record_id]);
  expect(names).toEqual(['agent-lists', 'listed-records', 'agent-lists', 'listed-records']);
});

test.each([
  ['all records', ALL_COUNTED],
  ['records without an outcome', { ...ALL_COUNTED, has_outcome: false }],
  ['one direction', { ...ALL_COUNTED, direction: 'bullish' as const }],
])('a track record of %s counts each group once while others are received', async (_, filter) => {
  const agent = await bench.agent();
  const receive = () => bench.group(agent, {}, [3_600, 7_200, 10_800]);
  await receive();
  const sql = poolSql(source);
  const rows: Sql['rows'] = async (...statement) => {
    await receive();
    return sql.rows(...statement);
  };
  const tally = await postgresOwnerRecords({ ...sql, rows }).tally(agent.owner_id, agent.agent_id, filter);
  if (!tally) throw new Error('The agent is that of the owner.');
  const { calls, submission_count } = trackRecord(agent.agent_id, tally);
  expect(submission_count).toBeGreaterThan(6);
  expect(calls * 3).toBe(submission_count);
});
