import type {
  ConcernedKeys,
  Counted,
  CountedUnder,
  GradedBy,
  NamedRecords,
  ReadRecord,
} from '../../../domain/decisions/later-reading.ts';
import { DAY } from '../../../domain/time.ts';
import { MOVE_BY_NAMES } from '../functions/called-functions.ts';
import type { Sql } from '../kit/sql.ts';

/** SQL by hand: locks, a cursor, and functions that change what the role of the service may not. */
export function postgresNamedRecords(sql: Sql): NamedRecords {
  return {
    // From here on to the end of the transaction: reading and counting all records of a security takes longer than any
    // statement of a request may.
    holdGrades: () => sql.atomically(async (own) => void (await own.rows('select app.hold_grades()')), DAY),
    holdSubmissions: async () => void (await sql.rows('select app.hold_submissions()')),
    read: (keys, since, take) => read(sql, keys, since, take),
    // Counting all cells of a large cohort takes longer than any statement of a request may.
    count: (changes) => sql.atomically((own) => countAll(own, changes), DAY),
    forgetBars: async ({ market, symbols }) => void (await sql.rows(FORGET_BARS, [market, symbols])),
  };
}

const MOVE = `select changed, refused, faults from ${MOVE_BY_NAMES.call}`;

interface Moved {
  readonly changed: number;
  readonly refused: readonly string[];
  readonly faults: readonly string[];
}

async function countAll(sql: Sql, changes: readonly CountedUnder[]): Promise<Counted> {
  if (changes.length === 0) return { changed: 0, refused: [] };
  const values = MOVE_BY_NAMES.values({
    ids: changes.map(({ record_id }) => record_id),
    symbols: changes.map(({ symbol }) => symbol),
    wrong: changes.map(({ wrong_security }) => wrong_security),
    at_once: 5_000,
  });
  const [moved] = await sql.rows<Moved>(MOVE, values);
  if (!moved) throw new Error('app.move_by_names returned no row.');
  const { changed, refused, faults } = moved;
  return { changed, refused: refused.map((record_id, at) => ({ record_id, fault: new Error(faults[at]) })) };
}

type RecordRow = Omit<ReadRecord, 'graded'> & {
  readonly graded_at: Date | null;
  readonly source: string | null;
  readonly names: GradedBy['names'] | null;
};

/** A market may have millions of records under one key: the server keeps them, and a part of them is here at a time. */
async function read(
  sql: Sql,
  { market, symbols }: ConcernedKeys,
  since: Date | null,
  take: (records: readonly ReadRecord[]) => void,
): Promise<void> {
  if (since === null) await sql.rows(declare(ALL), [market, symbols]);
  else await sql.rows(declare(RECEIVED_SINCE), [market, symbols, since]);
  for (;;) {
    const rows = await sql.rows<RecordRow>(`fetch ${PART} from named_records`);
    take(rows.map(recordOf));
    if (rows.length < PART) break;
  }
  await sql.rows('close named_records');
}

const PART = 5_000;

function recordOf({ graded_at, source, names, ...row }: RecordRow): ReadRecord {
  const graded = graded_at && { at: graded_at, source: source ?? '', ...(names && { names }) };
  return { ...row, graded };
}

/** In each state a record is in one of these indexes: public_by_symbol, ungraded_by_symbol, decisions_due and others. */
const ALL = [
  'app.is_public(lifecycle_state)',
  "lifecycle_state in ('rejected', 'data_unavailable')",
  'due_at is not null',
  "lifecycle_state = 'pending_verify'",
  "lifecycle_state = 'quarantined'",
];

/** By the primary key, which begins with the day of receipt: submissions wait meanwhile. */
const RECEIVED_SINCE = [
  "record_id >= 'dec_' || to_char($3::timestamptz at time zone 'UTC', 'YYYYMMDD') and submission_time >= $3",
];

const declare = (conditions: readonly string[]) => `
  declare named_records no scroll cursor for
  with found as (
    ${conditions
      .map(
        (each) => `select * from app.decisions
      where ${each} and market = $1 and symbol = any($2::text[])`,
      )
      .join(`
    union all
    `)}
  )
  select d.record_id, d.market, d.symbol, d.venue, d.asset_class, d.quote_currency, d.submitted_symbol, d.name,
    d.received_symbol, d.received_cohort_key, d.counted_since, d.anchor_time, d.end_time, d.submission_time,
    coalesce(d.cohort_exception = 'wrong_security', false) as wrong_security,
    app.is_erased(d.owner_id) as erased,
    d.evaluated_at as graded_at, o.facts ->> 'source' as source, o.facts ->> 'names' as names
  from found d left join app.decision_outcomes o on d.evaluated_at is not null and o.record_id = d.record_id`;

const FORGET_BARS = `
  delete from app.bar_stretches b
  where starts_with(split_part(b.series, ' ', 3), $1 || ':')
    and split_part(split_part(b.series, ' ', 3), ':', 2) = any($2::text[])`;
