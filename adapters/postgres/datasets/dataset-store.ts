import type { Dataset, DatasetFile, DatasetStore } from '../../../domain/datasets/dataset-store.ts';
import { MINUTE } from '../../../domain/time.ts';
import type { Sql } from '../kit/sql.ts';
import { datasetSource } from './dataset-source.ts';

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
  from app.datasets d left join app.log_datasets l on l.month = d.month left join app.logs o on o.log = l.log`;
