import { createHash, randomBytes } from 'node:crypto';
import type pg from 'pg';

/** What is planted in place of a stored number: what JSON has for NaN, what reads as infinity, and nothing. */
export const KINDS = ['NaN', 'infinity', 'missing'] as const;
/** What PostgreSQL has in addition to times. */
export const ENDLESS = ['infinity', '-infinity'] as const;
export type Kind = (typeof KINDS)[number] | (typeof ENDLESS)[number];

/** The rows of a record as JSON, by the name of their table. */
export type StoredRows = Readonly<Record<StoredTable, Readonly<Record<string, unknown>>>>;
export const STORED_TABLES = [
  'decisions',
  'decision_documents',
  'decision_outcomes',
  'outcome_evidence',
  'evidence_bars',
] as const;
export type StoredTable = (typeof STORED_TABLES)[number];

/** A copy of a record that differs from it in one number, or that lacks one row. */
export interface Plant {
  readonly record_id: string;
  /** `table.column`, then the members down to the number with dots; a table alone: its row is missing. */
  readonly place: string;
  readonly kind: Kind;
}

/** Columns that hold numbers by themselves; a column of another type is one of these lists, or the test fails. */
const NUMBERS = ['double precision', 'smallint'];
/** No value of these is anything but a whole number, and none of the columns is nullable but those where null has a meaning. */
const WHOLE = ['integer'];
/** Null: of a decision from before there were numbers. */
const NULL_MEANS = ['decisions.number'];
/** Whole numbers, null of a decision outside of groups; check-evidence compares them with the statement. */
const OF_GROUPS = ['decisions.group_place', 'decisions.group_of'];
const JSON_TEXTS = ['decision_documents.statement', 'outcome_evidence.document', 'evidence_bars.content'];
const OTHER_TYPES = ['text', 'uuid', 'bytea', 'xid8', 'ARRAY', 'timestamp with time zone'];

/** The places of all numbers that are stored of a record, by the catalogue of the database and what its JSON contains. */
export async function numbersOf(owner: pg.Client, rows: StoredRows): Promise<readonly string[]> {
  const { rows: columns } = await owner.query<{ name: string; table: StoredTable; type: string; nullable: string }>(
    `select table_name as table, column_name as name, data_type as type, is_nullable as nullable
     from information_schema.columns where table_schema = 'app' and table_name = any($1)`,
    [STORED_TABLES],
  );
  return columns.flatMap(({ table, name, type, nullable }) => {
    const place = `${table}.${name}`;
    if (OF_GROUPS.includes(place)) return [];
    if (NUMBERS.includes(type)) return [place];
    if (WHOLE.includes(type) && (nullable === 'NO' || NULL_MEANS.includes(place))) return [];
    if (type === 'jsonb') return numbersIn(place, rows[table][name]);
    if (JSON_TEXTS.includes(place)) return numbersIn(place, JSON.parse(String(rows[table][name])));
    if (OTHER_TYPES.includes(type)) return [];
    throw new Error(`Say what can be planted in ${place}, which is ${type}.`);
  });
}

/** The places of all columns with a time. */
export async function timesOf(owner: pg.Client): Promise<readonly string[]> {
  const { rows } = await owner.query<{ place: string }>(
    `select format('%s.%s', table_name, column_name) as place from information_schema.columns
     where table_schema = 'app' and table_name = any($1) and data_type = 'timestamp with time zone'`,
    [STORED_TABLES],
  );
  return rows.map(({ place }) => place);
}

function numbersIn(place: string, value: unknown): string[] {
  if (typeof value === 'number') return [place];
  if (typeof value !== 'object' || value === null) return [];
  // Of a list the first two stand for all.
  const entries = Array.isArray(value) ? [...value.entries()].slice(0, 2) : Object.entries(value);
  return entries.flatMap(([name, member]) => numbersIn(`${place}.${name}`, member));
}

/** The rows of a record. */
export async function storedRows(owner: pg.Client, record_id: string): Promise<StoredRows> {
  const one = async (sql: string, value: unknown) => (await owner.query(sql, [value])).rows[0]?.row;
  const of = (table: string) => one(`select to_jsonb(t) as row from app.${table} t where record_id = $1`, record_id);
  const evidence = await of('outcome_evidence');
  return {
    decisions: await of('decisions'),
    decision_documents: await of('decision_documents'),
    decision_outcomes: await of('decision_outcomes'),
    outcome_evidence: evidence,
    evidence_bars: await one(
      'select to_jsonb(t) as row from app.evidence_bars t where digest = $1',
      evidence.path_bars[0],
    ),
  };
}

/** Stores a copy of the rows with the plant in it, past the guards; counts and the log take note of it. */
export async function plant(owner: pg.Client, rows: StoredRows, place: string, kind: Kind): Promise<Plant> {
  const record_id = `${String(rows.decisions.record_id).slice(0, -8)}${randomBytes(4).toString('hex')}`;
  const planted = withSeals(changed(rows, place, kind), record_id);
  for (const table of STORED_TABLES) {
    if (table === place) continue;
    await owner.query(
      `insert into app.${table} select * from jsonb_populate_record(null::app.${table}, $1::jsonb)
       ${table === 'evidence_bars' ? 'on conflict do nothing' : ''}`,
      [written(planted[table])],
    );
  }
  return { record_id, place, kind };
}

/** Stands for a number that JSON.stringify has no text of. */
const INFINITY = '\u0001infinity';

function written(value: unknown): string {
  return JSON.stringify(value).replaceAll(JSON.stringify(INFINITY), '1e400');
}

function changed(rows: StoredRows, place: string, kind: Kind): StoredRows {
  const [table, column, ...members] = place.split('.') as [StoredTable, string | undefined, ...string[]];
  // Bars are shared: those that are missing have to be of this record alone.
  if (table === 'evidence_bars' && column === undefined) return { ...rows, evidence_bars: { content: '{}' } };
  if (column === undefined) return rows;
  const row: Record<string, unknown> = { ...rows[table] };
  const isText = JSON_TEXTS.includes(`${table}.${column}`);
  if (members.length === 0)
    row[column] = { NaN: 'NaN', infinity: 'Infinity', '-infinity': '-Infinity', missing: null }[kind];
  else row[column] = replaced(isText ? JSON.parse(String(row[column])) : row[column], members, kind);
  // The smallest integers have neither.
  if (column === 'move') row[column] = { NaN: -7, infinity: 99, '-infinity': -99, missing: null }[kind];
  if (isText) row[column] = written(row[column]);
  return { ...rows, [table]: row };
}

function replaced(value: unknown, [name = '', ...rest]: readonly string[], kind: Kind): unknown {
  const copy = Array.isArray(value) ? [...value] : { ...(value as object) };
  const members = copy as Record<string, unknown>;
  if (rest.length > 0) members[name] = replaced(members[name], rest, kind);
  else if (kind === 'NaN') members[name] = null;
  else if (kind === 'infinity') members[name] = INFINITY;
  else if (Array.isArray(copy)) copy.splice(Number(name), 1);
  else delete members[name];
  return copy;
}

/** The ids of a record of its own, and the digests that constraints compare. */
function withSeals(rows: StoredRows, record_id: string): StoredRows {
  const { decisions, decision_documents: said, decision_outcomes, outcome_evidence, evidence_bars } = rows;
  const salt = Buffer.from(String(said.salt).slice(2), 'hex');
  const digest = sha256(String(evidence_bars.content));
  const named = JSON.parse(String(outcome_evidence.document).replaceAll('1e400', JSON.stringify(INFINITY)));
  const document = written({ ...named, record_id, path: { ...named.path, bars: [digest] } });
  return {
    decisions: { ...decisions, record_id },
    decision_documents: { ...said, record_id, commitment: sha256(salt, String(said.statement)) },
    decision_outcomes: { ...decision_outcomes, record_id },
    outcome_evidence: { ...outcome_evidence, record_id, document, digest: sha256(document), path_bars: [digest] },
    evidence_bars: { ...evidence_bars, digest },
  };
}

function sha256(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}
