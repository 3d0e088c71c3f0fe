import { isLoggedLate } from '../../../domain/decisions/decision.ts';
import { concatBytes } from '../../../domain/log/encoding.ts';
import { countedLeaves } from '../../../domain/log/leaves/leaf.ts';
import { erasedProducer, type GradedDecision } from '../../../domain/log/leaves/public-statement.ts';
import type {
  DecisionLeaves,
  LogBatch,
  LoggedDecision,
  LogOverview,
  LogStore,
  PendingEvent,
  StoredLog,
} from '../../../domain/log/log-store.ts';
import { DAY } from '../../../domain/time.ts';
import { type DatasetTables, sumsOf } from '../datasets/dataset-store.ts';
import type { DecisionRow, DecisionTables, LogRow } from '../decisions/decision-tables.ts';
import { linesOf, type NameTables } from '../instruments/name-store.ts';
import type { Table } from '../kit/table.ts';
import type { PlanTables } from '../plans/plan-tables.ts';
import {
  addEvent,
  type CheckpointRow,
  closingReason,
  type EventRow,
  type LogTables,
  logOfLeaf,
  type StoredLeaf,
  sharing,
  treeOf,
} from './log-tables.ts';

type Tables = LogTables &
  DatasetTables &
  NameTables &
  Pick<DecisionTables, 'logs' | 'decisions' | 'evidence' | 'agentSubmissions'> &
  Pick<PlanTables, 'plans'>;

export function memoryLog(tables: Tables, now: () => Date): LogStore {
  const { logs, logHeads, logDatasets } = tables;
  const ofLog = <Row extends StoredLeaf>(row: Row) => ({ ...row, log: logOfLeaf(tables, row)?.log ?? row.log });
  return {
    ...checkpointsOf(tables, now),
    ...leavesIn(tables),
    // Transactions run one after the other.
    lock: async () => undefined,
    newest: async () => storedLog(newestLog(tables)),
    find: async (log) => storedLog(logs.get(String(log))),
    logsOfTree: async (log) => sharing(tables, treeOf(tables, log)).flatMap((row) => storedLog(row) ?? []),
    async start(log, continued) {
      const tree = continued === null ? log.log : treeOf(tables, continued);
      logs.set(String(log.log), { ...log, tree, started_at: now() });
      if (continued === null) importAll(tables, now());
    },
    async lastHead(log) {
      const tree = treeOf(tables, log);
      return logHeads.where((row) => row.log === tree).toSorted((a, b) => b.index - a.index)[0] ?? null;
    },
    heads: async () =>
      logHeads
        .where(() => true)
        .map(ofLog)
        .toSorted(byLog),
    unloggedDatasets: async () =>
      tables.datasets
        .where(({ month }) => !logDatasets.where(() => true).some((row) => row.month === month))
        .map(({ month }) => ({ month, sha256: sumsOf(tables, month) }))
        .toSorted((a, b) => (a.month < b.month ? -1 : 1)),
    datasets: async () =>
      logDatasets
        .where(() => true)
        .map(ofLog)
        .toSorted(byLog)
        .map((row) => ({ ...row, sha256: sumsOf(tables, row.month) })),
    unloggedNames: async () => linesOf(tables).filter(({ learned_at }) => !tables.logNames.get(learned_at)),
    names: async () => {
      const sums = new Map(linesOf(tables).map(({ learned_at, sha256 }) => [learned_at, sha256]));
      const rows = tables.logNames.where(() => true).map(ofLog);
      return rows.toSorted(byLog).map((row) => ({ ...row, sha256: sums.get(row.learned_at) ?? '' }));
    },
    pending: async (log, before, limit) => pending(tables, treeOf(tables, log), before, limit),
    pendingPlans: async (before, limit, imported) => pendingPlans(tables, before, limit, imported),
    planLeaf: async (log, plan_id) => tables.logPlans.get(`${treeOf(tables, log)} ${plan_id}`)?.index ?? null,
    append: async (batch) => append(tables, batch),
    agentSalts: async (agent_ids) =>
      found(agent_ids, (agent_id) => tables.agentSubmissions.get(agent_id)?.salt ?? null),
    overview: async (log, at) => overview(tables, log, at),
  };
}

export function checkpointsOf(
  tables: Pick<Tables, 'logs' | 'logCheckpoints'>,
  now: () => Date,
): Pick<LogStore, 'latest' | 'signed' | 'published' | 'firstWith' | 'firstWithEach' | 'hasSigned' | 'sign'> {
  const { logCheckpoints } = tables;
  const largestFirst = (log: number) =>
    logCheckpoints.where((row) => row.log === log).toSorted((a, b) => b.size - a.size);
  const signed = (log: number) => largestFirst(log).filter(({ signature }) => signature !== null);
  const published = (log: number) =>
    signed(log).filter(({ witnessed_at, served_from }) => witnessed_at || !served_from || served_from <= now());
  const firstWith = (until: number, index: number) => {
    const logs = sharing(tables, treeOf(tables, until)).filter(({ log }) => log <= until);
    const having = (rows: readonly CheckpointRow[]) => rows.filter(({ size }) => size > index).at(-1);
    const cosigned = (log: number) => having(signed(log).filter(({ witnessed_at }) => witnessed_at !== null));
    const [seen] = logs.flatMap(({ log }) => cosigned(log) ?? []);
    const first = logs.find(({ log }) => having(signed(log)));
    return seen ?? having(published(first?.log ?? 0)) ?? null;
  };
  return {
    latest: async (log) => largestFirst(log)[0] ?? null,
    signed: async (log) => signed(log)[0] ?? null,
    published: async (log) => published(log)[0] ?? null,
    firstWith: async (log, index) => firstWith(log, index),
    firstWithEach: async (log, indexes) => found(indexes, (index) => firstWith(log, index)),
    hasSigned: async (log, { from, to }) => signed(log).some(({ size }) => size >= from && size < to),
    async sign(log, size, { id: key_id, signature }, patience) {
      const row = logCheckpoints.get(`${log} ${size}`);
      const served_from = new Date(now().getTime() + patience);
      if (row?.signature === null)
        logCheckpoints.set(`${log} ${size}`, { ...row, signature, key_id, signed_at: now(), served_from });
    },
  };
}

function leavesIn(
  tables: Tables,
): Pick<
  LogStore,
  'tiles' | 'bundle' | 'bundles' | 'leavesOf' | 'leavesOfEach' | 'recordAt' | 'hasTimedLeaf' | 'lateDecisions'
> {
  const { logTiles, logBundles, logDecisions, logPlans, decisions } = tables;
  const tree = (log: number) => treeOf(tables, log);
  const leavesOf = (log: number, record_id: string): DecisionLeaves | null => {
    const row = logDecisions.get(`${tree(log)} ${record_id}`);
    if (!row) return null;
    const { index, public_salt, producer, outcome } = row;
    return { index, public_salt, producer, outcome };
  };
  return {
    tiles: async (log, tiles) =>
      tiles.flatMap(({ level, index }) => {
        const tile = logTiles.get(`${tree(log)} ${level} ${index}`);
        return tile ? [{ level, index, hashes: tile.bytes }] : [];
      }),
    bundle: async (log, index) => logBundles.get(`${tree(log)} ${index}`)?.bytes ?? null,
    bundles: async (log, indexes) =>
      indexes.flatMap((index) => {
        const bundle = logBundles.get(`${tree(log)} ${index}`);
        return bundle ? [{ index, leaves: bundle.bytes }] : [];
      }),
    leavesOf: async (log, record_id) => leavesOf(log, record_id),
    leavesOfEach: async (log, record_ids) => found(record_ids, (record_id) => leavesOf(log, record_id)),
    lateDecisions: async (log, since) =>
      logDecisions
        .where((row) => row.log === tree(log))
        .filter(({ record_id, index }) => {
          const [signed_at, decision] = [leafSignedAt(tables, tree(log), index), decisions.get(record_id)];
          const { started_at = since } = tables.logs.get(String(tree(log))) ?? {};
          return signed_at && signed_at >= since && decision && isLoggedLate(decision, { signed_at, started_at });
        }).length,
    hasTimedLeaf: async (log, from) =>
      logPlans.where((row) => row.log === tree(log) && row.index >= from).length > 0 ||
      logDecisions
        .where((row) => row.log === tree(log) && row.index >= from)
        .some(({ record_id }) => decisions.get(record_id)?.submission_origin === 'realtime'),
    recordAt: async (log, index) =>
      logDecisions.where((row) => row.log === tree(log) && row.index === index)[0]?.record_id ?? null,
  };
}

/** When the first checkpoint with a leaf of a tree was signed; null while none is. */
export function leafSignedAt(
  tables: Pick<Tables, 'logs' | 'logCheckpoints'>,
  tree: number,
  index: number,
): Date | null {
  const logs = sharing(tables, tree).map(({ log }) => log);
  const having = tables.logCheckpoints.where(
    (row) => logs.includes(row.log) && row.size > index && row.signed_at !== null,
  );
  return having.toSorted((a, b) => a.size - b.size)[0]?.signed_at ?? null;
}

/** What was found of each key; keys without it are left out. */
function found<Key, Value>(keys: readonly Key[], find: (key: Key) => Value | null): ReadonlyMap<Key, Value> {
  return new Map(
    keys.flatMap((key) => {
      const value = find(key);
      return value === null ? [] : [[key, value] as const];
    }),
  );
}

function storedLog(row: LogRow | null | undefined): StoredLog | null {
  return row ? { log: row.log, origin: row.origin, key_id: row.key_id } : null;
}

/** The log under whose number the leaves of the newest one are; null while there is none. */
export function newestTree(tables: Pick<DecisionTables, 'logs'>): LogRow | null {
  const newest = newestLog(tables);
  return newest && (tables.logs.get(String(newest.tree)) ?? null);
}

function byLog(a: StoredLeaf, b: StoredLeaf): number {
  return a.log - b.log || a.index - b.index;
}

/** Null while there is none. */
export function newestLog({ logs }: Pick<DecisionTables, 'logs'>): LogRow | null {
  return logs.where(() => true).toSorted((a, b) => b.log - a.log)[0] ?? null;
}

function pendingPlans({ pendingPlans: waiting, plans }: Tables, before: Date, limit: number, imported: boolean) {
  return waiting
    .where((row) => row.imported === imported && row.ready_at < before)
    .toSorted((a, b) => a.ready_at.getTime() - b.ready_at.getTime())
    .flatMap(({ plan_id, ready_at }) => {
      const plan = plans.get(plan_id);
      return plan ? [{ ...plan, happened_at: imported ? null : ready_at }] : [];
    })
    .slice(0, limit);
}

function importAll({ decisions, logEvents, plans, pendingPlans: waiting }: Tables, now: Date): void {
  logEvents.deleteWhere(() => true);
  for (const { plan_id } of plans.where(() => true)) {
    const ready_at = new Date(now.getTime() - (1 + Math.random()) * DAY);
    waiting.set(plan_id, { plan_id, imported: true, ready_at });
  }
  for (const row of decisions.where(() => true)) {
    const { record_id } = row;
    const reason = closingReason(row);
    const happened: EventRow['event'][] = ['imported'];
    if (row.evaluated_at) happened.push('outcome');
    if (reason) happened.push('closed');
    let earlier = 1;
    for (const [i, event] of happened.entries()) {
      earlier *= Math.random();
      const ready_at = new Date(now.getTime() - (1 + earlier) * DAY);
      addEvent(logEvents, { record_id, seq: i - 3, event, reason, imported: true, ready_at, kept: null });
    }
  }
}

function pending(tables: Tables, log: number, before: Date, limit: number): PendingEvent[] {
  const { logEvents, logDecisions, decisions } = tables;
  const all = logEvents.where(() => true).toSorted((a, b) => a.seq - b.seq);
  const first = new Map(all.toReversed().map((row) => [row.record_id, row]));
  return [...first.values()]
    .filter(({ record_id, event, ready_at }) => {
      const isLogged = logDecisions.get(`${log} ${record_id}`) !== undefined;
      return ready_at < before && isLogged !== (event === 'decision' || event === 'imported');
    })
    .toSorted((a, b) => Number(a.imported) - Number(b.imported) || a.ready_at.getTime() - b.ready_at.getTime())
    .flatMap((row) => {
      const decision = decisions.get(row.record_id);
      const of = logDecisions.get(`${log} ${row.record_id}`)?.index ?? 0;
      return decision ? (eventOf(tables, row, decision, of) ?? []) : [];
    })
    .slice(0, limit);
}

function overview({ logCheckpoints, logEvents, pendingPlans: plans }: Tables, log: number, now: Date): LogOverview {
  const signed = logCheckpoints.where((row) => row.log === log && row.signature !== null);
  const newest = signed.toSorted((a, b) => b.size - a.size)[0];
  const events = logEvents.where(() => true);
  const waiting = events
    .filter(
      ({ imported, event, ready_at }) => !imported && ready_at < now && (event === 'decision' || event === 'outcome'),
    )
    .filter(({ record_id, seq }) => !events.some((other) => other.record_id === record_id && other.seq < seq))
    .map(({ ready_at }) => ready_at)
    .concat(plans.where((row) => !row.imported && row.ready_at < now).map(({ ready_at }) => ready_at))
    .toSorted((a, b) => a.getTime() - b.getTime());
  return {
    size: newest?.size ?? 0,
    signed_at: newest?.signed_at ?? null,
    pending: events.length + plans.where(() => true).length,
    waiting_since: waiting[0] ?? null,
  };
}

function eventOf(tables: Tables, row: EventRow, decision: DecisionRow, of: number): PendingEvent | null {
  const { record_id, event, reason, imported, ready_at } = row;
  const happened_at = imported ? null : event === 'decision' ? decision.submission_time : ready_at;
  const place = { record_id, seq: String(row.seq), happened_at };
  if (event === 'decision' || event === 'imported')
    return { ...place, event, decision: loggedIn(tables, decision), kept: row.kept };
  if (event === 'reopened') return { ...place, event, of };
  if (event === 'closed') return reason && { ...place, event, of, reason };
  const graded = gradedIn(decision);
  const document = tables.evidence.get(record_id)?.document ?? null;
  return graded && { ...place, event, of, graded, document };
}

/** What the leaf of a decision is made of. */
export function loggedIn(
  { agentSubmissions }: Pick<DecisionTables, 'agentSubmissions'>,
  decision: DecisionRow,
): LoggedDecision {
  const { salt, statement, agent_id } = decision;
  const agent_salt = agentSubmissions.get(agent_id)?.salt ?? null;
  return { ...decision, agent_salt, erased_producer: salt === null ? erasedProducer(statement) : null };
}

/** The grade of a decision; null where it has none. */
export function gradedIn(decision: DecisionRow): GradedDecision | null {
  const { evaluated_at, result_bucket, facts } = decision;
  return evaluated_at && result_bucket && facts ? { ...decision, evaluated_at, result_bucket, facts } : null;
}

function append(tables: Tables, batch: LogBatch): void {
  const { from, head, tiles, bundles, decisions, outcomes, heads, datasets, names, plans, events } = batch;
  const log = treeOf(tables, batch.log);
  const logs = sharing(tables, log).map((each) => each.log);
  const sizes = tables.logCheckpoints.where((row) => logs.includes(row.log)).map(({ size }) => size);
  if (Math.max(0, ...sizes) !== from) throw new Error(`The log ${batch.log} does not have ${countedLeaves(from)}.`);
  tables.logCheckpoints.set(`${batch.log} ${head.size}`, {
    ...{ log: batch.log, ...head },
    ...{ signature: null, key_id: null, signed_at: null, served_from: null, witnessed_at: null },
  });
  for (const { level, index, hashes } of tiles) extend(tables.logTiles, `${log} ${level} ${index}`, hashes);
  for (const { index, leaves } of bundles) extend(tables.logBundles, `${log} ${index}`, leaves);
  for (const decision of decisions)
    tables.logDecisions.set(`${log} ${decision.record_id}`, { log, ...decision, outcome: null });
  for (const { record_id, ...outcome } of outcomes) {
    const row = tables.logDecisions.get(`${log} ${record_id}`);
    if (row) tables.logDecisions.set(`${log} ${record_id}`, { ...row, outcome });
  }
  for (const each of heads) tables.logHeads.set(`${log} ${each.index}`, { log, ...each });
  for (const each of names) tables.logNames.set(each.learned_at, { log, ...each });
  for (const each of datasets) tables.logDatasets.set(each.month, { log, ...each });
  for (const plan of plans) {
    tables.logPlans.set(`${log} ${plan.plan_id}`, { log, ...plan });
    tables.pendingPlans.delete(plan.plan_id);
  }
  for (const { record_id, seq } of events) tables.logEvents.delete(`${record_id} ${seq}`);
}

function extend(table: Table<string, { readonly bytes: Uint8Array }>, key: string, added: Uint8Array): void {
  table.set(key, { bytes: concatBytes(table.get(key)?.bytes ?? Uint8Array.of(), added) });
}
