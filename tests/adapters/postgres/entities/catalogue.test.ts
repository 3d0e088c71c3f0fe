import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ENTITIES, openDataSource, type PooledDataSource } from '../../../../adapters/postgres/kit/data-source.ts';
import { freshDatabase, type TestDatabase } from '../../../harness/database.ts';

let database: TestDatabase;
let source: PooledDataSource;
beforeAll(async () => {
  database = await freshDatabase();
  source = await openDataSource({ url: database.serviceUrl, poolSize: 1 });
});
afterAll(async () => {
  await source.destroy();
  await database.drop();
});

/** Tables that only SQL by hand serves, and why. */
const BY_HAND = {
  agent_counts: 'aggregates that are cached',
  api_key_uses: 'batches of uses; a key shows its own as a column',
  applied_functions: 'written when the functions are applied, before the service starts',
  asked_questions: 'a count with what it adds in one statement',
  atlas: 'one statement replaces it; its JSON is passed through as text',
  atlas_requests: 'rows without a key, taken in a batch',
  atlas_seeds: 'batches',
  bar_stretches: 'batches, on the path of evaluations',
  cohort_cells: 'aggregates',
  cohort_removals: 'read with aggregates, written by functions alone',
  cohort_rollups: 'names of aggregates, read by functions alone',
  cohort_tail: 'aggregates, filled by a trigger',
  track_cells: 'aggregates',
  track_tail: 'aggregates, filled by triggers',
  workflow_cells: 'aggregates',
  cooldowns: 'on the path of submissions',
  credit_ledger: 'on the path of evaluations, in batches',
  dataset_files: 'rows of one transaction, aggregated when they are read',
  dataset_parts: 'parts of files, in one transaction that reads one moment',
  datasets: 'under a lock; aggregated with their files when they are read',
  decision_documents: 'on the path of submissions; passed through as text',
  decision_notes: 'under locks',
  decision_outcomes: 'batches',
  decision_relations: 'on the path of submissions',
  backtest_documents: 'batches',
  backtest_instruments: 'claims and counts under locks',
  backtest_notes: 'under locks',
  backtest_rows: 'batches, aggregates',
  backtest_sets: 'under the lock of the owner',
  decisions: 'on the path of submissions and reads; batches under locks',
  erasures: 'written by functions alone, which run as the owner of the schema',
  events: 'filled by triggers, read up to the horizon of a snapshot',
  evidence_bars: 'batches',
  expiry_passes: 'under a lock',
  faulty_records: 'batches, in one order',
  feed_start: 'one row, which the feed reads',
  idempotency: 'on the path of submissions',
  limits_floor: 'read by functions alone',
  log_bundles: 'batches, under a lock',
  log_checkpoints: 'under a lock',
  kept_days: 'one statement counts and judges',
  log_datasets: 'batches',
  log_decisions: 'batches',
  log_heads: 'batches',
  log_keys: 'under a lock',
  log_names: 'batches',
  log_outcomes: 'batches',
  log_pending: 'filled by triggers, taken in batches',
  log_pending_plans: 'filled by a trigger, taken in batches',
  log_plans: 'batches',
  log_signatures: 'the first row of a key stays',
  log_tiles: 'batches, under a lock',
  log_witnesses: 'a report of a smaller size replaces none',
  logs: 'under a lock',
  mails: 'counts and batches under locks',
  names: 'batches, under a lock',
  one_time_links: 'each statement judges the time of the database',
  outcome_evidence: 'batches',
  plans: 'bytes as digits, under a lock',
  question_counts: 'a count with what it adds in one statement',
  quota_days: 'on the path of submissions',
  rate_windows: 'on the path of every request',
  record_links: 'filled by triggers, read by the graph in one statement',
  reply_texts: 'batches, on the path of reads',
  retroactive_days: 'on the path of submissions',
  secret_fingerprints: 'written once, under a lock, before the storage is opened',
  security_events: 'one statement counts, adds or counts up',
  submit_hours: 'read by functions alone, and by nodes of 0.5.0',
  agent_submissions: 'on the path of submissions',
  symbols: 'batches of all symbols, and aggregates',
  timelines: 'one statement marks and reads it',
  webhook_deliveries: 'batches under locks',
};

interface Column {
  readonly name: string;
  readonly type: string;
  readonly nullable: boolean;
  /** False for what the database alone fills: an identity, a computed column, or one of `FILLED_BY_TRIGGERS`. */
  readonly written: boolean;
}

interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly primary: readonly string[];
  /** Column names, joined by a comma, for each further unique key. */
  readonly unique: readonly string[];
}

/** Whatever a statement sends for these columns, a trigger sets them. */
const FILLED_BY_TRIGGERS = [
  ['audit_log', 'at'],
  ['audit_log', 'previous'],
  ['audit_log', 'seal'],
] as const;

const CATALOGUE = `
  select c.relname as name,
    (select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod),
        'nullable', not a.attnotnull, 'written', a.attidentity = '' and a.attgenerated = ''
          and (c.relname, a.attname) not in (${FILLED_BY_TRIGGERS.map(([table, column]) => `('${table}', '${column}')`)})) order by a.attname)
      from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
    coalesce((select json_agg(keys.columns) from (
      select string_agg(a.attname, ',' order by a.attname) as columns
      from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
      where i.indrelid = c.oid and i.indisunique and not i.indisprimary group by i.indexrelid order by 1) keys), '[]'
    ) as unique,
    coalesce((select json_agg(a.attname order by a.attname)
      from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
      where i.indrelid = c.oid and i.indisprimary), '[]') as primary
  from pg_class c
  where c.relnamespace = 'app'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
  order by c.relname`;

/** The columns of which an insert may say nothing. */
const FILLED = `
  select c.relname || '.' || a.attname as name
  from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.relnamespace = 'app'::regnamespace and a.attnum > 0 and (a.atthasdef or not a.attnotnull)`;

/** What an entity says of its table, in the words of the catalogue. */
function describedBy(entity: (typeof ENTITIES)[number]): Table {
  const { tableName, columns, uniques } = source.getMetadata(entity.options.name);
  const own = columns.filter(({ isVirtualProperty }) => !isVirtualProperty);
  return {
    name: tableName,
    columns: own
      .map(({ databaseName: name, type, precision, isArray, isNullable: nullable, isInsert: written }) => {
        const named = type === 'timestamptz' ? `timestamp(${precision}) with time zone` : type;
        return { name, type: `${named}${isArray ? '[]' : ''}`, nullable, written };
      })
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
    primary: own.flatMap(({ isPrimary, databaseName }) => (isPrimary ? [databaseName] : [])).sort(),
    unique: uniques
      .map((key) =>
        key.columns
          .map((column) => column.databaseName)
          .sort()
          .join(),
      )
      .sort(),
  };
}

async function catalogue(): Promise<readonly Table[]> {
  return (await source.pool.query<Table>(CATALOGUE)).rows;
}

describe('entities and the database’s catalogue', () => {
  test.each(ENTITIES.map((entity) => [entity.options.tableName, entity] as const))(
    '%s: the columns, their types, what may be null, and the keys are the same',
    async (name, entity) => {
      expect(entity.options.schema).toBe('app');
      expect(describedBy(entity)).toEqual((await catalogue()).find((table) => table.name === name));
    },
  );

  test('a column with a default in its entity has one in the database, or may be null', async () => {
    const { rows } = await source.pool.query<{ readonly name: string }>(FILLED);
    const filled = rows.map(({ name }) => name);
    const declared = ENTITIES.flatMap(({ options: { tableName, columns } }) =>
      Object.entries(columns).flatMap(([name, column]) => ('default' in column ? [`${tableName}.${name}`] : [])),
    );
    expect(declared.filter((name) => !filled.includes(name))).toEqual([]);
    expect(declared.length).toBeGreaterThan(10);
  });

  test('a table has an entity, or a reason why only SQL by hand serves it', async () => {
    const served = ENTITIES.map(({ options }) => options.tableName);
    const known = [...served, ...Object.keys(BY_HAND)].sort();
    expect((await catalogue()).map(({ name }) => name).sort()).toEqual(known);
  });

  test('no entity has a relation, and TypeORM neither makes nor changes tables', () => {
    expect(source.entityMetadatas.flatMap(({ relations }) => relations)).toEqual([]);
    expect(source.options).toMatchObject({ synchronize: false });
  });
});
