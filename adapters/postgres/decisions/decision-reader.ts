import {
  type Decision,
  type DecisionStatus,
  isLoggedLate,
  type TabledDecision,
} from '../../../domain/decisions/decision.ts';
import type { Note } from '../../../domain/decisions/own/notes.ts';
import type { DecisionReader } from '../../../domain/decisions/views/decision-reader.ts';
import { type EvidenceDocument, pathBars } from '../../../domain/grading/evidence.ts';
import { batcher } from '../kit/batcher.ts';
import type { Sql } from '../kit/sql.ts';
import { isRecent, type RecordRange, rangeOf } from './record-months.ts';
import { submissionIn } from './submission-text.ts';

interface Wanted {
  readonly record_id: string;
  readonly viewer: string | null;
}

/** @param shared where records are read for no viewer */
export function postgresDecisions(sql: Sql, shared: Sql = sql): DecisionReader {
  const [own, others] = [decisionReader(sql), decisionReader(shared)];
  return {
    find: (record_ids, viewer) => (viewer === null ? others : own).find(record_ids, viewer),
    findStatus: (record_ids, viewer) => (viewer === null ? others : own).findStatus(record_ids, viewer),
    findTabled: (record_ids, owner_id) => own.findTabled(record_ids, owner_id),
  };
}

/** A decision, and the version of the rows that it was made from. */
export interface VersionedDecision {
  readonly decision: Decision;
  readonly version: string;
}

/** Reads decisions as `DecisionReader.find` does. */
export function versionReader(
  sql: Sql,
): (record_id: string, viewer: string | null) => Promise<VersionedDecision | null> {
  const versioned = ({ version, ...row }: DecisionRow & { readonly version: string }): VersionedDecision => ({
    decision: decisionOf(row),
    version,
  });
  const find = readerOf(sql, readVersions, 'read-versions', versioned);
  return async (record_id, viewer) => (await find([record_id], viewer))[0] ?? null;
}

/** Reads of one kind that arrive together share one statement. */
function decisionReader(sql: Sql): DecisionReader {
  return {
    find: readerOf(sql, readDecisions, 'read-decisions', decisionOf),
    findStatus: readerOf(sql, readStatus, 'read-states', statusOf),
    async findTabled(record_ids, owner_id) {
      const wanted = [...new Set(record_ids)].map((record_id) => ({ record_id, viewer: owner_id }));
      const rows = await readAll<TabledRow>(sql, wanted, readTabled, 'read-tabled');
      return rows.flatMap((row) => (row === null ? [] : tabledOf(row)));
    },
  };
}

/**
 * Reads recent records apart from others, which may be of any number of months. `made` is called for each who asks: what is
 * wrong with one record fails no other that was read together with it.
 */
function readerOf<Row extends object, Found>(
  sql: Sql,
  textOf: (range: RecordRange) => string,
  name: string,
  made: (row: Row) => Found,
) {
  const run = (wanted: readonly Wanted[]) => readAll<Row>(sql, wanted, textOf, name);
  const together = () => batcher<Wanted, Row | null>({ run, most: 64, atOnce: 1 });
  const [readRecent, readOther] = [together(), together()];
  return async (record_ids: readonly string[], viewer: string | null): Promise<Found[]> => {
    const now = new Date();
    const read = (record_id: string) => (isRecent(record_id, now) ? readRecent : readOther)({ record_id, viewer });
    const found = await Promise.all([...new Set(record_ids)].map(read));
    return found.filter((row) => row !== null).map(made);
  };
}

async function readAll<Row extends object>(
  sql: Sql,
  wanted: readonly Wanted[],
  textOf: (range: RecordRange) => string,
  name: string,
): Promise<(Row | null)[]> {
  const ids = wanted.map(({ record_id }) => record_id);
  const viewers = wanted.map(({ viewer }) => viewer);
  const range = rangeOf(ids, new Date());
  const values = [ids, viewers, ...range.values];
  const rows = await sql.rows<Row & { readonly position: number }>(textOf(range), values, `${name} ${range.name}`);
  const found = new Array<Row | null>(wanted.length).fill(null);
  for (const row of rows) found[row.position - 1] = row;
  return found;
}

/** The columns of a row that are not of the record. */
interface EvidenceColumns {
  readonly position: number;
  /** For the owner: what the path of the outcome is read from. */
  readonly evidence: string | null;
  readonly path: string | null;
}

interface LeafColumns {
  readonly leaf_index: number | null;
  readonly outcome_index: number | null;
  readonly leaf_signed_at: Date | null;
  readonly log_started_at: Date;
}

/** As in JSON: the time is a text. Null for others than the owner. */
type NotesColumn = readonly (Omit<Note, 'written_at'> & { readonly written_at: string })[] | null;

type DecisionRow = Omit<Decision, 'submission' | 'notes' | 'log'> &
  EvidenceColumns &
  LeafColumns & { readonly notes: NotesColumn };

function decisionOf({ position: _, evidence, path, ...columns }: DecisionRow): Decision {
  const { leaf_index, outcome_index, leaf_signed_at, log_started_at, notes, ...row } = columns;
  const late = () => isLoggedLate(row, { signed_at: leaf_signed_at, started_at: log_started_at });
  const log = leaf_index === null ? null : { index: leaf_index, outcome_index, late: late() };
  return {
    ...row,
    log,
    bars: barsOf(row, evidence, path),
    notes: notes?.map((note) => ({ ...note, written_at: new Date(note.written_at) })) ?? null,
    submission: submissionOf(row),
  };
}

type TabledRow = Omit<TabledDecision, 'submission' | 'log'> &
  Pick<EvidenceColumns, 'position'> &
  Pick<LeafColumns, 'leaf_index' | 'outcome_index'>;

function tabledOf({ position: _, leaf_index, outcome_index, ...row }: TabledRow): TabledDecision {
  const log = leaf_index === null ? null : { index: leaf_index, outcome_index };
  return { ...row, log, submission: submissionOf(row) };
}

/** Of a statement that is gone or damaged, only its own record lacks the words; see `readable`. */
function submissionOf({ statement }: Pick<Decision, 'statement'>): Decision['submission'] {
  try {
    const submission: unknown = submissionIn(statement);
    return typeof submission === 'object' ? (submission as Decision['submission']) : UNREADABLE;
  } catch {
    return UNREADABLE;
  }
}

/** No list of factors: `readable` reports it. */
const UNREADABLE = { key_factors: null } as unknown as Decision['submission'];

function statusOf({ position: _, evidence, path, ...row }: DecisionStatus & EvidenceColumns): DecisionStatus {
  return { ...row, bars: barsOf(row, evidence, path) };
}

function barsOf(decision: DecisionStatus, evidence: string | null, path: string | null): Decision['bars'] {
  if (evidence === null || path === null || decision.facts === null) return decision.bars;
  try {
    const { end_time, now } = JSON.parse(evidence) as EvidenceDocument;
    const until = { end_time: Date.parse(end_time), now: Date.parse(now) };
    return pathBars(decision, path.split(RECORD_SEPARATOR), decision.facts, until);
  } catch {
    // Evidence that was damaged past the guards hides its own path only, not the records read together with it;
    // `recompute` reports the damage.
    return null;
  }
}

/** The columns of `Decision` that the row itself contains. */
const ROW_COLUMNS = [
  'record_id',
  'owner_id',
  'agent_id',
  'number',
  'group_id',
  'group_place',
  'group_of',
  'market',
  'symbol',
  'venue',
  'asset_class',
  'quote_currency',
  'submitted_symbol',
  'name',
  'direction',
  'horizon_kind',
  'horizon_value',
  'analysis_class',
  'perspective_type',
  'data_cutoff',
  'submission_time',
  'submission_origin',
  'method',
  'anchor_time',
  'end_time',
  'settles_at',
  'cohort_key',
  'isolation_snapshot_id',
  'workflow_hash',
  'lifecycle_state',
  'due_at',
  'attempts',
  'last_error',
  'evaluated_at',
  'result_bucket',
  'created_regime',
  'archived_at',
  'archive_reason',
  'quarantine_reason',
  'received_symbol',
  'received_cohort_key',
  'counted_since',
] as const;

/** For the evaluation. */
export const DECISION_COLUMNS = ROW_COLUMNS.map((column) => `d.${column}`).join(', ');

/** In SQL what `withVerification` does. Subqueries, so that they run for the returned rows only. */
const WAIT_COLUMNS = { due_at: 'retry_at', attempts: 'attempts', last_error: 'last_error' } as const;

/** The same columns, for readers. */
const READ_COLUMNS = ROW_COLUMNS.map((column) =>
  column in WAIT_COLUMNS ? waitColumn(column as keyof typeof WAIT_COLUMNS) : `d.${column}`,
)
  .concat("coalesce(d.cohort_exception = 'wrong_security', false) as wrong_security")
  .join(', ');

function waitColumn(column: keyof typeof WAIT_COLUMNS): string {
  return `case when d.lifecycle_state = 'pending_verify' then coalesce((select i.${WAIT_COLUMNS[column]}
      from app.instruments i where i.instrument = d.instrument and i.status = 'unreachable'), d.${column})
    else d.${column} end as ${column}`;
}

/** The columns of `ListedDecision`. */
export const LISTED_COLUMNS = `${READ_COLUMNS}, d.raw_return, d.directional_return, d.mfe, d.mae`;

/** No JSON text contains it, so none needs quoting (RFC 7464). */
const RECORD_SEPARATOR = '\x1e';

const OUTCOME = `o.facts, o.owner_facts, case when d.owner_id = w.viewer then o.bars end as bars, e.document as evidence,
    case when cardinality(e.path_bars) = 1
      then (select b.content from app.evidence_bars b where b.digest = e.path_bars[1])
      else (select string_agg(b.content, chr(30) order by p.position)
        from unnest(e.path_bars) with ordinality p(digest, position) join app.evidence_bars b using (digest)) end as path`;

const fromWanted = (range: RecordRange) => `
  from app.wanted_records(record_ids => $1::text[], viewers => $2::uuid[]) w
  join app.decisions d on d.record_id = w.record_id
  left join app.decision_outcomes o on o.record_id = d.record_id and ${range.of('o.record_id')}
  left join app.outcome_evidence e on e.record_id = d.record_id and ${range.of('e.record_id')} and d.owner_id = w.viewer`;

const readStatus = (range: RecordRange) => `select w.position, ${READ_COLUMNS}, ${OUTCOME} ${fromWanted(range)}`;

export const readDecisions = (range: RecordRange) => wholeDecisions(range, '');

/** The same with what `app.store_replies` compares. */
const readVersions = (range: RecordRange) => wholeDecisions(range, ', c.version');

/** For tables: without what takes most of the time to read. */
const readTabled = (range: RecordRange) => `
  select w.position, ${READ_COLUMNS}, coalesce(doc.statement, '') as statement,
    coalesce(doc.commitment, '') as commitment, o.facts, o.owner_facts,
    c.workflow_public, c.leaf_index::float8 as leaf_index, c.outcome_index::float8 as outcome_index
  from app.wanted_records(record_ids => $1::text[], viewers => $2::uuid[]) w
  join app.decisions d on d.record_id = w.record_id and d.owner_id = w.viewer
  left join app.decision_outcomes o on o.record_id = d.record_id and ${range.of('o.record_id')}
  left join app.decision_documents doc on doc.record_id = d.record_id and ${range.of('doc.record_id')}
  join app.record_context c on c.record_id = d.record_id`;

/** Joins: with subqueries the server would plan the statement anew for each read, which takes longer than the read. */
function wholeDecisions(range: RecordRange, more: string): string {
  return `
    select w.position, ${READ_COLUMNS}, coalesce(doc.statement, '') as statement, encode(doc.salt, 'hex') as salt,
      coalesce(doc.commitment, '') as commitment, ${OUTCOME},
      case when d.owner_id = w.viewer then (
        select coalesce(jsonb_agg(jsonb_build_object('number', n.number, 'text', n.text, 'written_at', n.written_at)
          order by n.number), '[]') from app.decision_notes n where n.record_id = d.record_id) end as notes,
      c.workflow_public, c.related, c.leaf_index::float8 as leaf_index, c.outcome_index::float8 as outcome_index,
      c.leaf_signed_at, c.log_started_at ${more}
    ${fromWanted(range)}
    left join app.decision_documents doc on doc.record_id = d.record_id and ${range.of('doc.record_id')}
    join app.record_context c on c.record_id = d.record_id`;
}
