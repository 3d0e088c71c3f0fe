import type {
  CoarseOutcome,
  Dataset,
  DatasetCohort,
  DatasetFile,
  DatasetSource,
  DatasetStore,
  TalliedCohort,
  WantedCohorts,
} from '../../../domain/datasets/dataset-row.ts';
import { MINUTE } from '../../../domain/time.ts';
import { countedRealtime, isCounted } from '../cohorts/cohort-conditions.ts';
import type { Sql } from '../kit/sql.ts';
import { logOfLeaf } from '../log/log-store.ts';

/** From one instrument to the next, by the index: a list of all records would pass over every one of them. */
const INSTRUMENTS = `
  with recursive listed(instrument) as (
    (select d.instrument from app.cohort_decisions d where d.instrument > $1 order by d.instrument limit 1)
    union all
    select (select d.instrument from app.cohort_decisions d where d.instrument > l.instrument
      order by d.instrument limit 1)
    from listed l where l.instrument is not null
  )
  select instrument from listed where instrument is not null limit $2`;

const COHORT = 'market, symbol, venue, asset_class, quote_currency, direction, horizon_kind, horizon_value';

const OUTCOME = 'data_cutoff_month, counted_as, result_bucket, move, method, grid, further_horizon';

/** SQL by hand: an advisory lock, one moment for all that is read, and files in parts. */
export function postgresDatasets(sql: Sql): DatasetStore {
  return {
    list: async () => (await sql.rows<DatasetRecord>(`${DATASETS} order by d.month desc`)).map(datasetOf),
    async find(month) {
      const [row] = await sql.rows<DatasetRecord>(`${DATASETS} where d.month = $1`, [month]);
      return row ? datasetOf(row) : null;
    },
    part: (month, name, number) => partOf(sql, month, name, number),
    make: (month, work) =>
      sql.atomically(async (own) => {
        for (const setting of ALL_OF_ONE_MOMENT) await own.rows(setting);
        const [row] = await own.rows<{ locked: boolean }>(LOCK);
        if (!row?.locked) return false;
        if ((await own.rows(BEGIN, [month])).length === 0) return false;
        const numbers = new Map<string, number>();
        const write = async (name: string, content: Uint8Array) => {
          const number = numbers.get(name) ?? 0;
          numbers.set(name, number + 1);
          await own.rows(ADD_PART, [month, name, number, content]);
        };
        const files = await work(datasetSource(own), write, (name, number) => partOf(own, month, name, number));
        for (const [place, file] of files.entries()) await addFile(own, month, place, file);
        return true;
      }, LONGEST_STATEMENT),
  };
}

interface DatasetRecord extends Omit<Dataset, 'leaf' | 'files'> {
  readonly files: readonly DatasetFile[] | null;
  readonly origin: string | null;
  readonly index: number | null;
}

function datasetOf({ month, made_at, files, origin, index }: DatasetRecord): Dataset {
  const leaf = origin !== null && index !== null ? { origin, index } : null;
  return { month, made_at, files: files ?? [], leaf };
}

async function partOf(sql: Pick<Sql, 'rows'>, month: string, name: string, number: number): Promise<Uint8Array | null> {
  const [row] = await sql.rows<{ content: Uint8Array }>(PART, [month, name, number]);
  return row?.content ?? null;
}

async function addFile(sql: Sql, month: string, place: number, { name, bytes, sha256 }: DatasetFile): Promise<void> {
  await sql.rows(ADD_FILE, [month, place, name, bytes, Buffer.from(sha256, 'hex')]);
}

const LONGEST_STATEMENT = 2 * MINUTE;

/** As for the atlas: the snapshot is taken by the first query, and speed does not matter. */
const ALL_OF_ONE_MOMENT = [
  'set transaction isolation level repeatable read',
  `set local work_mem = '32MB'`,
  'set local max_parallel_workers_per_gather = 0',
];

/** Any number that no other advisory lock of the database uses. */
const LOCK = 'select pg_try_advisory_xact_lock(7382614919) as locked';

const BEGIN = 'insert into app.datasets (month) values ($1) on conflict (month) do nothing returning month';

const ADD_PART = 'insert into app.dataset_parts (month, name, part, content) values ($1, $2, $3, $4)';

const ADD_FILE = 'insert into app.dataset_files (month, place, name, bytes, sha256) values ($1, $2, $3, $4, $5)';

const PART = 'select content from app.dataset_parts where month = $1 and name = $2 and part = $3';

const DATASETS = `
  select d.month, d.made_at, l.index::float8 as index, o.origin, (
    select jsonb_agg(jsonb_build_object('name', f.name, 'bytes', f.bytes, 'sha256', encode(f.sha256, 'hex')) order by f.place)
    from app.dataset_files f where f.month = d.month
  ) as files
  from app.datasets d left join app.log_datasets l on l.month = d.month left join app.logs o on o.log = ${logOfLeaf('l')}`;

/** Reads the records of one instrument at a time, by their index (public_by_instrument). */
function datasetSource(sql: Pick<Sql, 'rows'>): DatasetSource {
  return {
    async instruments(after, limit) {
      const rows = await sql.rows<{ instrument: string }>(INSTRUMENTS, [after ?? '', limit]);
      return rows.map(({ instrument }) => instrument);
    },
    async cohorts(instrument, wanted) {
      const rows = await sql.rows<TallyRow>(cohortsOf(wanted), [instrument, wanted.samples, wanted.producers]);
      return rows.map(({ samples, enoughProducers, alike, ...cohort }) => ({
        cohort,
        samples,
        enoughProducers,
        alike: alike.map(({ records, ...outcome }) => ({ outcome, records })),
      }));
    },
  };
}

interface TallyRow extends DatasetCohort, Pick<TalliedCohort, 'samples' | 'enoughProducers'> {
  readonly alike: readonly (CoarseOutcome & { readonly records: number })[];
}

function cohortsOf({ include_retroactive, ownerProof }: WantedCohorts): string {
  return `
    with members as materialized (
      select ${COHORT}, d.owner_id, to_char(d.data_cutoff at time zone 'UTC', 'YYYY-MM') as data_cutoff_month,
        app.counted_as(submission_origin => d.submission_origin, cohort_exception => d.cohort_exception) as counted_as, d.result_bucket, d.move, d.method, d.grid,
        app.is_further(group_place => d.group_place) as further_horizon
      from app.cohort_decisions d
      where d.instrument = $1 ${include_retroactive ? '' : `and ${countedRealtime('d')}`}
    ),
    tallies as (
      select ${COHORT}, count(*)::float8 as samples,
        count(distinct m.owner_id) filter (where ${isCounted('m.owner_id', ownerProof)}) >= $3 as "enoughProducers"
      from members m group by ${COHORT} having count(*) >= $2
    ),
    alike as (select ${COHORT}, ${OUTCOME}, count(*)::float8 as records from members group by ${COHORT}, ${OUTCOME})
    select ${COHORT}, t.samples, t."enoughProducers", jsonb_agg(jsonb_build_object(
      'data_cutoff_month', a.data_cutoff_month, 'counted_as', a.counted_as, 'result_bucket', a.result_bucket,
      'move', a.move, 'method', a.method, 'grid', a.grid, 'further_horizon', a.further_horizon, 'records', a.records)) as alike
    from tallies t join alike a using (${COHORT}) group by ${COHORT}, t.samples, t."enoughProducers"`;
}
