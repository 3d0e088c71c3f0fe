import { setTimeout as sleep } from 'node:timers/promises';
import type { Atlas, AtlasStore } from '../../../domain/atlas/atlas-store.ts';
import { SCOPES } from '../../../domain/atlas/atlas-survey.ts';
import type { Network } from '../../../domain/atlas/network.ts';
import type { Seed } from '../../../domain/atlas/seeds.ts';
import type { OwnerProof } from '../../../domain/cohorts/cohort-reader.ts';
import { publicEvaluationTime } from '../../../domain/decisions/views/public-views.ts';
import { instrumentKey } from '../../../domain/market/instrument.ts';
import { MINUTE } from '../../../domain/time.ts';
import { SESSION } from '../kit/pool.ts';
import type { Sql } from '../kit/sql.ts';
import { atlasSurvey, PUBLIC_RECORDS } from './atlas-survey.ts';

/** @param pauses how many times as long as each statement of a build took the build waits after it */
export function postgresAtlas(sql: Sql, pauses = PAUSES): AtlasStore {
  return {
    async state() {
      const [row] = await sql.rows<StateRow>(STATE);
      if (!row) throw new Error('The state of the atlas is not one row.');
      const { generated_at, built, expired, records } = row;
      const { min_producers: minProducers, min_samples: minSamples, owner_proof: ownerProof } = row;
      const thresholds = { minProducers, minSamples, ownerProof };
      return { built: generated_at && { generated_at, records: built, expired, thresholds }, records };
    },

    async expire() {
      await sql.atomically((own) => own.rows('insert into app.atlas_requests default values'));
    },

    build: (work) =>
      sql.atomically(async (own) => {
        for (const setting of ALL_OF_ONE_MOMENT) await own.rows(setting);
        const [row] = await own.rows<{ locked: boolean; at: Date }>(LOCK);
        if (!row?.locked) return false;
        await keep(own, await work(atlasSurvey(paced(own, pauses))), row.at);
        return true;
      }, LONGEST_STATEMENT),

    async network(scope) {
      const [row] = await sql.rows<{ generated_at: Date; network: Network }>(NETWORKS[scope]);
      return row ? { generated_at: row.generated_at, ...row.network } : null;
    },

    async seeds({ scope, node, limit }) {
      const [row] = await sql.rows<{ generated_at: Date; items: readonly Seed[] }>(SEEDS, [node, limit, scope]);
      return row ? { generated_at: row.generated_at, items: row.items.map(withTimes) } : null;
    },
  };
}

/** A build gives way to those who serve. */
function paced(sql: Sql, pauses: number): Pick<Sql, 'rows'> {
  return {
    async rows<Row extends object>(text: string, values?: readonly unknown[]) {
      const begin = performance.now();
      const rows = await sql.rows<Row>(text, values);
      await sleep(Math.min(pauses * (performance.now() - begin), LONGEST_PAUSE));
      return rows;
    },
  };
}

const PAUSES = 7;
/** Milliseconds: well before a session that is idle in a transaction is ended. */
const LONGEST_PAUSE = SESSION.idle_in_transaction_session_timeout / 3;

interface StateRow {
  readonly generated_at: Date | null;
  readonly built: number;
  readonly expired: boolean;
  readonly min_producers: number;
  readonly min_samples: number;
  readonly owner_proof: OwnerProof;
  readonly records: number;
}

async function keep(sql: Sql, { records, thresholds, views }: Atlas, at: Date): Promise<void> {
  const { minProducers, minSamples, ownerProof } = thresholds;
  const networks = [views.all, views.realtime].map(({ network }) => JSON.stringify(network));
  await sql.rows(KEEP, [at, records, minProducers, minSamples, ownerProof, ...networks]);
  await sql.rows('delete from app.atlas_requests');
  await sql.rows('delete from app.atlas_seeds');
  for (const scope of SCOPES) {
    const rows = views[scope].seeds.map((seed, place) => {
      const { record, nodes, query } = seed;
      // What it counts as: the record shows the symbol that was received.
      return { scope, place, record_id: record.record_id, instrument: instrumentKey(query), nodes, seed };
    });
    await sql.rows(KEEP_SEEDS, [JSON.stringify(rows)]);
  }
}

/** Times within a JSON value come as text. An atlas that 0.4.0 built contains the exact times of evaluations. */
function withTimes(seed: Seed): Seed {
  const { record, overview } = seed;
  const range = overview.time_range;
  const time_range = range && { earliest: new Date(range.earliest), latest: new Date(range.latest) };
  const times = {
    data_cutoff: new Date(record.data_cutoff),
    evaluated_at: publicEvaluationTime(new Date(record.evaluated_at)),
  };
  return { ...seed, record: { ...record, ...times }, overview: { ...overview, time_range } };
}

const LONGEST_STATEMENT = 2 * MINUTE;

/**
 * The snapshot is taken by the first query. A slow build is cancelled before its sweep is. A build that waited
 * while another one replaced the same lines fails and starts again. Speed does not matter: the build uses at most one
 * processor, and spills to disk before it takes memory.
 */
const ALL_OF_ONE_MOMENT = [
  'set transaction isolation level repeatable read',
  `set local work_mem = '32MB'`,
  'set local max_parallel_workers_per_gather = 0',
];

/** Any number that no other advisory lock of the database uses. */
const LOCK = `select pg_try_advisory_xact_lock(7382614913) as locked, app.now() as at`;

const STATE = `
  select a.generated_at, a.records::float8 as built, exists (select from app.atlas_requests) as expired,
    a.min_producers, a.min_samples, a.owner_proof, ${PUBLIC_RECORDS} as records
  from (select) nothing left join app.atlas a on true`;

const KEEP = `
  insert into app.atlas (
    generated_at, records, min_producers, min_samples, owner_proof, network_of_all, network_of_realtime)
  values ($1, $2, $3, $4, $5, $6, $7)
  on conflict (only_one) do update
  set generated_at = excluded.generated_at, records = excluded.records, min_producers = excluded.min_producers,
    min_samples = excluded.min_samples, owner_proof = excluded.owner_proof, network_of_all = excluded.network_of_all,
    network_of_realtime = excluded.network_of_realtime`;

/** Which graded records are under quarantine, as one number: how many would be the same where one left and one came back. */
const DEPARTURES = `
  (select coalesce(bit_xor(hashtextextended(q.record_id, 0)), 0) from app.decisions q
    where q.instrument = s.instrument and q.lifecycle_state = 'quarantined' and q.evaluated_at is not null
      and (s.scope = 'all' or q.submission_origin = 'realtime'))`;

const KEEP_SEEDS = `
  insert into app.atlas_seeds (scope, place, record_id, instrument, departures, nodes, seed)
  select scope, place, record_id, instrument, ${DEPARTURES}, nodes, seed
  from json_to_recordset($1::json) as
    s(scope text, place int, record_id text, instrument text, nodes text[], seed json)`;

const NETWORKS = {
  all: 'select generated_at, network_of_all as network from app.atlas',
  realtime: 'select generated_at, network_of_realtime as network from app.atlas',
} as const;

const SEEDS = `
  select a.generated_at, coalesce((
    select json_agg(shown.seed order by shown.place) from (
      select s.place, s.seed from app.atlas_seeds s
      join app.public_decisions d on d.record_id = s.record_id
      where s.scope = $3 and ($1::text is null or $1 = any(s.nodes)) and s.departures = ${DEPARTURES}
      order by s.place limit $2
    ) shown
  ), '[]') as items
  from app.atlas a`;
