import { randomUUID } from 'node:crypto';
import { usableAgent } from '../../../domain/accounts/keys/agent-store.ts';
import { activeOwner } from '../../../domain/accounts/owner.ts';
import {
  asKnownAt,
  type BacktestBatch,
  type BacktestRow,
  type BacktestSet,
  type BacktestStore,
  claimedRow,
  endedRow,
  facetKeys,
  type Holdings,
  nothingReceived,
  type RowFacet,
  type SetName,
  type StoredRow,
} from '../../../domain/backtests/backtest.ts';
import { nextRowNote, type RowNote } from '../../../domain/backtests/row-notes.ts';
import { countedWindow } from '../../../domain/decisions/own/window-counts.ts';
import { KNOWN_METHODS } from '../../../domain/grading/method.ts';
import { RESULT_BUCKETS } from '../../../domain/grading/outcome.ts';
import { COHORT } from '../../../domain/limits.ts';
import { instrumentKey } from '../../../domain/market/instrument.ts';
import type { OwnerTables } from '../accounts/provider-stores.ts';
import type { Table } from '../kit/table.ts';

export interface StoredSet extends BacktestSet {
  /** Its rows are deleted later. */
  readonly removed: boolean;
}

interface KeptRow extends StoredRow, BacktestRow {
  readonly set_id: number;
  readonly due_at: Date | null;
  readonly attempts: number;
  readonly move: number | null;
}

export interface BacktestTables {
  readonly backtestSets: Table<string, StoredSet>;
  readonly backtestRows: Table<string, KeptRow>;
  /** By set and instrument. */
  readonly backtestClaims: Table<string, { readonly token: string; readonly until: Date }>;
}

type Tables = BacktestTables & OwnerTables;

export function memoryBacktests(tables: Tables, clock: () => Date): BacktestStore {
  const { backtestSets: sets, backtestRows: rows, backtestClaims: claims, owners, agents } = tables;
  let numbers = 0;
  const next = () => {
    numbers += 1;
    return numbers;
  };
  const find = ({ owner_id, agent_id, name }: SetName) =>
    sets.where((set) => !set.removed && set.owner_id === owner_id && set.agent_id === agent_id && set.name === name)[0];
  const rowsOf = (set_id: number) => rows.where((row) => row.set_id === set_id);
  const isDue = ({ due_at, method }: KeptRow, now: Date) =>
    due_at !== null && due_at <= now && KNOWN_METHODS.includes(method);
  return {
    async receive(batch, now) {
      activeOwner(owners.get(batch.owner_id));
      const agent = agents.get(batch.agent_id);
      usableAgent(agent?.owner_id === batch.owner_id ? agent : null, batch.agent_id);
      const known = find(batch);
      if (known && !isSame(known.about, batch.about)) return { kind: 'other_about', about: known.about };
      if (!known && batch.rows.length === 0) return nothingReceived(holdingsOf(tables, batch.owner_id, null));
      const set = known ?? addSet(sets, batch, next(), now);
      const stored = new Map(rowsOf(set.set_id).map(({ external_id, body }) => [external_id, body]));
      const added = batch.rows.filter(({ external_id }) => !stored.has(external_id));
      const other = batch.rows.filter(({ external_id, body }) => (stored.get(external_id) ?? body) !== body);
      for (const row of added) addRow(rows, { ...row, set_id: set.set_id, row_id: next(), received_at: now });
      return {
        kind: 'received',
        accepted: new Set(added.map(({ external_id }) => external_id)),
        other: new Set(other.map(({ external_id }) => external_id)),
        holdings: holdingsOf(tables, batch.owner_id, set.set_id),
      };
    },

    find: async (name) => setOf(find(name)),

    async list(owner_id) {
      const own = sets.where((set) => !set.removed && set.owner_id === owner_id);
      const order = ({ agent_id, name }: StoredSet) => `${agent_id} ${name}`;
      return own
        .toSorted((a, b) => (order(a) < order(b) ? -1 : 1))
        .map(({ removed: _, ...set }) => ({ ...set, rows: rowsOf(set.set_id).length }));
    },

    async tally(set_id, now) {
      const own = rowsOf(set_id);
      const times = own.map(({ anchor_time }) => anchor_time.getTime());
      const graded = own.filter(({ record_group }) => RESULT_BUCKETS.some((bucket) => bucket === record_group));
      return {
        tallies: own.flatMap(talliesOf),
        instruments: new Set(own.map(instrumentKey)).size,
        ungraded_yet: own.filter((row) => isUngradedYet(row, now)).length,
        tried_again: own.filter((row) => isUngradedYet(row, now) && !isDue(row, now)).length,
        first: own.length === 0 ? null : new Date(Math.min(...times)),
        last: own.length === 0 ? null : new Date(Math.max(...times)),
        windows: graded.length > COHORT.mostWindows ? null : graded.map(countedWindow),
      };
    },

    async rows(set_id, after, limit) {
      const behind = rowsOf(set_id).filter(({ row_id }) => after === null || row_id > after);
      return behind
        .toSorted((a, b) => a.row_id - b.row_id)
        .slice(0, limit)
        .map(shown);
    },

    async recall(set_id, { market, symbol }, as_of, limit) {
      const began = rowsOf(set_id).filter(
        (row) => row.market === market && row.symbol === symbol && row.anchor_time <= as_of,
      );
      return {
        rows: began
          .toSorted((a, b) => -byWindow(a, b))
          .slice(0, limit)
          .map((row) => asKnownAt(shown(row), as_of)),
        ungraded_yet: began.filter((row) => isUngradedYet(row, as_of)).length,
      };
    },

    async notedElsewhere(set_id, { market, symbol }, as_of, most) {
      const noted = rowsOf(set_id).flatMap((row) =>
        row.notes.filter((note) => note.as_of <= as_of).map((note) => ({ row, note })),
      );
      const newest = noted.toSorted((a, b) => -byTime(a.note, b.note) || b.row.row_id - a.row.row_id).slice(0, most);
      return [...new Set(newest.map(({ row }) => row))]
        .filter((row) => row.market !== market || row.symbol !== symbol)
        .map((row) => asKnownAt(shown(row), as_of));
    },

    async addNote({ owner_id, set_id, external_id, ...said }, atMost) {
      activeOwner(owners.get(owner_id));
      const set = sets.get(String(set_id));
      const row = rowsOf(set_id).find((each) => each.external_id === external_id);
      if (!row || !set || set.removed || set.owner_id !== owner_id) return { verdict: 'no_row' };
      const verdict = nextRowNote(row, row.notes, said, { atMost, now: clock() });
      if (verdict.verdict === 'added')
        rows.set(String(row.row_id), { ...row, notes: [...row.notes, verdict.note].toSorted(byTime) });
      return verdict;
    },

    async remove(name) {
      const set = find(name);
      if (set) sets.set(String(set.set_id), { ...set, removed: true });
      return set !== undefined;
    },

    async prune(limit) {
      const removed = new Set(sets.where((set) => set.removed).map(({ set_id }) => set_id));
      const gone = rows.where(({ set_id }) => removed.has(set_id)).slice(0, limit);
      for (const { row_id } of gone) rows.delete(String(row_id));
      const empty = [...removed].filter((set_id) => rowsOf(set_id).length === 0);
      for (const set_id of empty) sets.delete(String(set_id));
      return gone.length + empty.length;
    },

    async claim(now, leaseUntil, limit) {
      const removed = new Set(sets.where((set) => set.removed).map(({ set_id }) => set_id));
      const isFree = (row: KeptRow) => (claims.get(seriesOf(row))?.until ?? now) <= now && !removed.has(row.set_id);
      const due = rows.where((row) => isDue(row, now));
      const [first] = due.filter(isFree).toSorted((a, b) => Number(a.due_at) - Number(b.due_at));
      if (!first) return null;
      const token = `${seriesOf(first)} ${randomUUID()}`;
      claims.set(seriesOf(first), { token, until: leaseUntil });
      const together = due.filter((row) => seriesOf(row) === seriesOf(first)).toSorted(byWindow);
      const claimed = together.slice(0, limit).map((row) => claimedRow(row, { ...row, token }));
      return { token, rows: claimed, more: together.length > limit };
    },

    async renew({ token }, until) {
      const series = token.slice(0, token.lastIndexOf(' '));
      const isHeld = claims.get(series)?.token === token;
      if (isHeld) claims.set(series, { token, until });
      return isHeld;
    },

    async end({ token }, ends) {
      const [held] = claims.where((claim) => claim.token === token);
      if (!held) return 0;
      claims.deleteWhere((claim) => claim.token === token);
      let ended = 0;
      for (const end of ends) {
        const row = rows.get(end.record_id);
        if (!row) continue;
        const { attempted, end_time, settles_at, ...changes } = endedRow(end, row.direction);
        const planned_end = end_time ? (row.planned_end ?? row.end_time) : row.planned_end;
        const moved = { end_time: end_time ?? row.end_time, settles_at: settles_at ?? row.settles_at, planned_end };
        rows.set(end.record_id, { ...row, ...changes, ...moved, attempts: row.attempts + attempted });
        ended += 1;
      }
      return ended;
    },

    async nextDue() {
      const waiting = rows
        .where(({ due_at, method }) => due_at !== null && KNOWN_METHODS.includes(method))
        .filter((row) => !sets.get(String(row.set_id))?.removed);
      const times = waiting.map((row) => Math.max(Number(row.due_at), Number(claims.get(seriesOf(row))?.until ?? 0)));
      return times.length === 0 ? null : new Date(Math.min(...times));
    },
  };
}

/** How much an owner has, and how many instruments one of the sets. */
function holdingsOf({ backtestSets, backtestRows }: BacktestTables, owner_id: string, set_id: number | null): Holdings {
  const sets = backtestSets.where((set) => !set.removed && set.owner_id === owner_id);
  const own = new Set(sets.map((set) => set.set_id));
  const rows = backtestRows.where((row) => own.has(row.set_id));
  const ofSet = rows.filter((row) => row.set_id === set_id);
  return {
    rows: rows.length,
    bytes: rows.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0),
    sets: sets.length,
    instruments: new Set(ofSet.map(instrumentKey)).size,
  };
}

function addSet(
  sets: BacktestTables['backtestSets'],
  { owner_id, agent_id, name, about }: BacktestBatch,
  set_id: number,
  created_at: Date,
): StoredSet {
  const set = { set_id, owner_id, agent_id, name, about, created_at, removed: false };
  sets.set(String(set_id), set);
  return set;
}

type NewRow = BacktestRow & Pick<KeptRow, 'set_id' | 'row_id' | 'received_at'>;

function addRow(rows: BacktestTables['backtestRows'], row: NewRow): void {
  rows.set(String(row.row_id), {
    ...{ ...row, due_at: row.settles_at, attempts: 0, planned_end: null },
    ...{ record_group: 'pending', ungraded: null, move: null, known_at: null, last_error: null, outcome: null },
    notes: [],
  });
}

function setOf(set: StoredSet | undefined): BacktestSet | null {
  if (!set) return null;
  const { removed: _, ...own } = set;
  return own;
}

function shown({ set_id: _, due_at: __, attempts: ___, move: ____, knowledge: _____, ...row }: KeptRow): StoredRow {
  return row;
}

function isSame(a: BacktestSet['about'], b: BacktestSet['about']): boolean {
  return a.source === b.source && a.horizon_rule === b.horizon_rule;
}

function seriesOf(row: KeptRow): string {
  return `${row.set_id} ${instrumentKey(row)}`;
}

function byWindow(a: KeptRow, b: KeptRow): number {
  return a.anchor_time.getTime() - b.anchor_time.getTime() || a.row_id - b.row_id;
}

function byTime(a: RowNote, b: RowNote): number {
  return a.as_of.getTime() - b.as_of.getTime();
}

function isUngradedYet({ due_at, settles_at }: KeptRow, at: Date): boolean {
  return due_at !== null && settles_at <= at;
}

function talliesOf(row: KeptRow) {
  const { record_group, ungraded, move } = row;
  return Object.entries(facetKeys(row)).flatMap(([facet, key]) =>
    key === null ? [] : [{ facet: facet as RowFacet, key, record_group, ungraded, move, records: 1 }],
  );
}
