import type { BacktestSet, RowFacet, SetName, SetTallies, StoredRow } from '../../domain/backtests/backtest.ts';
import { countsOf } from '../../domain/decisions/own/record-counts.ts';
import { byDirection, byKnowledge, byMonth, calibrationOf } from '../../domain/decisions/own/track-record.ts';
import { windowCounts } from '../../domain/decisions/own/window-counts.ts';
import { BACKTEST } from '../../domain/limits.ts';
import { Problem } from '../../domain/problem.ts';
import { JsonText, replyJson } from '../json-text.ts';
import type { Ports } from '../ports.ts';

/** Raw counts of a set, in the words of a track record; `pending_count` are the rows that are not graded yet. */
export type SetView = ReturnType<typeof viewOf>;

/**
 * What is counted of a set.
 * @throws Problem NOT_FOUND
 */
export async function readSet(ports: Pick<Ports, 'backtests' | 'clock'>, name: SetName): Promise<SetView> {
  const set = await ownSet(ports, name);
  return viewOf(set, await ports.backtests.tally(set.set_id, await ports.clock.now()));
}

/** @throws Problem NOT_FOUND */
export async function ownSet({ backtests }: Pick<Ports, 'backtests'>, name: SetName): Promise<BacktestSet> {
  const set = await backtests.find(name);
  if (set) return set;
  throw noSuchSet(name);
}

function noSuchSet({ name }: SetName): Problem {
  const suggestion = 'Send the name of a set that GET /api/v1/owner/backtests lists.';
  return new Problem('NOT_FOUND', `The agent has no set ${name}.`, { suggestion });
}

function viewOf(
  set: BacktestSet,
  { tallies, instruments, ungraded_yet, tried_again, first, last, windows }: SetTallies,
) {
  const of = (facet: RowFacet) => tallies.filter((tally) => tally.facet === facet);
  return {
    ...{ set: set.name, agent_id: set.agent_id, about: set.about, created_at: set.created_at },
    ...countsOf(of('all')),
    ...{ ungraded_yet, tried_again, instruments, first_anchor: first, last_anchor: last },
    windows: windows && windowCounts(windows),
    by_direction: byDirection(of('direction')),
    by_month: byMonth(of('month')),
    by_knowledge_cutoff: byKnowledge(of('knowledge')),
    calibration: calibrationOf(of('confidence')),
  };
}

/** The sets of an owner, by agent and name. */
export async function listSets({ backtests }: Pick<Ports, 'backtests'>, owner_id: string) {
  return (await backtests.list(owner_id)).map(({ name, agent_id, about, created_at, rows }) => ({
    ...{ set: name, agent_id, about, created_at, rows },
  }));
}

/**
 * A set as lines of JSON: `set`, each row as it was sent with its outcome, and `complete` with the number of rows.
 * @throws Problem NOT_FOUND, before the first line, or in place of the last one where the set was deleted meanwhile
 */
export async function* exportSet(ports: Pick<Ports, 'backtests'>, name: SetName): AsyncGenerator<string> {
  const { set_id, about, agent_id, created_at } = await ownSet(ports, name);
  yield lineOf({ type: 'set', set: name.name, agent_id, about, created_at });
  let rows = 0;
  for (let after: number | null = null; ; ) {
    const page: readonly StoredRow[] = await ports.backtests.rows(set_id, after, BACKTEST.exported);
    if (page.length > 0) yield page.map((row) => lineOf({ type: 'row', ...exportedRow(row) })).join('');
    rows += page.length;
    after = page.at(-1)?.row_id ?? null;
    if (after === null) break;
  }
  // The rows of a set that was deleted meanwhile are gone, or some of them.
  if ((await ports.backtests.find(name))?.set_id !== set_id) throw noSuchSet(name);
  yield lineOf({ type: 'complete', rows });
}

/** A row of a copy: `row` is what was sent. */
function exportedRow({ external_id, body, outcome, ungraded, last_error, notes, ...row }: StoredRow) {
  const { market, symbol, venue, asset_class, quote_currency, method, record_group } = row;
  const { anchor_time, end_time, settles_at, received_at, known_at } = row;
  return {
    external_id,
    row: new JsonText(body),
    instrument: { market, symbol, venue, asset_class, quote_currency },
    ...{ anchor_time, end_time, settles_at, received_at, method, known_at },
    ...{
      state: record_group === 'pending' ? 'pending' : outcome ? 'graded' : 'ungraded',
      ungraded,
      last_error,
      outcome,
      notes,
    },
  };
}

/** Without raw U+2028 and U+2029: readline of Node.js 24 ends a line there. */
function lineOf(value: object): string {
  return `${replyJson(value)}\n`;
}

/**
 * Removes a set with all of its rows, for good.
 * @throws Problem NOT_FOUND
 */
export async function removeSet(ports: Pick<Ports, 'backtests' | 'wake'>, name: SetName): Promise<void> {
  if (!(await ports.backtests.remove(name))) await ownSet(ports, name);
  else ports.wake('grade-backtests');
}
