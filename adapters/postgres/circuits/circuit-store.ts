import { MoreThanOrEqual, Raw } from 'typeorm';
import {
  type Circuit,
  type CircuitSnapshot,
  type CircuitStore,
  type Isolation,
  type Runs,
  stateAfterSnapshot,
} from '../../../domain/circuits/circuit.ts';
import { COINS, type Coin } from '../../../domain/circuits/coin.ts';
import type { Peg } from '../../../domain/circuits/peg.ts';
import { CIRCUIT } from '../../../domain/limits.ts';
import { CIRCUIT_MONITORS, CIRCUIT_SNAPSHOTS, PEG_OBSERVATIONS, type PegObservationRow } from '../entities/circuits.ts';
import { deleteExpired, olderThan } from '../kit/expired-rows.ts';
import type { Sql } from '../kit/sql.ts';

export function postgresCircuits(sql: Sql): CircuitStore {
  return {
    async all() {
      const rows = await sql.rows<CircuitRow>(READ, [COINS], 'read-circuits');
      return rows.map(circuitOf);
    },

    transition: (coin, rule) =>
      sql.atomically(async (own) => {
        await own.rows(LOCK, [coin], 'lock-circuit');
        // A separate statement sees what the previous holder of the lock has written, and the time after the wait.
        const [row] = await own.rows<CircuitRow>(READ, [[coin]], 'read-circuits');
        if (!row) throw new Error(`There is no circuit of ${coin}.`);
        const step = rule(circuitOf(row), row.now);
        const { looked_at, runs } = step.circuit;
        if (step.snapshot) await own.tables.insert(CIRCUIT_SNAPSHOTS, step.snapshot);
        if (step.observation) await own.tables.insert(PEG_OBSERVATIONS, { coin, ...step.observation });
        await own.tables.update(CIRCUIT_MONITORS, { coin }, { looked_at, ...runs });
        return step;
      }),

    async history(coin, before, limit) {
      const where = { coin, ...(before !== null && { seq: seqBefore(coin, before) }) };
      const rows = await sql.tables.find(CIRCUIT_SNAPSHOTS, { where, order: { seq: 'desc' }, take: limit });
      return rows.map(({ seq, ...snapshot }) => snapshot);
    },

    async isolations(coin, from, to) {
      const rows = await sql.rows<IsolationRow>(ISOLATIONS, [coin, new Date(from), new Date(to)]);
      return rows.map((row) => ({ ...row, from: row.from.getTime(), until: row.until?.getTime() ?? null }));
    },

    async observations(coin, from) {
      const where = { coin, observed_at: MoreThanOrEqual(from) };
      return (await sql.tables.find(PEG_OBSERVATIONS, { where, order: { seq: 'asc' } })).map(pegOf);
    },

    prune: () => deleteExpired(sql, olderThan('peg_observations', 'observed_at', CIRCUIT.keepObservations)),
  };
}

interface CircuitRow extends Runs {
  readonly coin: Coin;
  readonly looked_at: Date | null;
  readonly snapshot: { readonly at: string } | null;
  readonly since: Date | null;
  readonly peg: { readonly observed_at: string } | null;
  readonly now: Date;
}

type Travelling<T, Time extends keyof T> = Omit<T, Time> & { readonly [Field in Time]: string };
type PegRow = Omit<PegObservationRow, 'seq' | 'coin'>;
type IsolationRow = Omit<Isolation, 'from' | 'until'> & { readonly from: Date; readonly until: Date | null };

/** Times in a JSON value are text. */
function circuitOf(row: CircuitRow): Circuit {
  const { coin, looked_at, below_since, above_since, trip_since, at_once } = row;
  const snapshot = row.snapshot as Travelling<CircuitSnapshot, 'at'> | null;
  const peg = row.peg as (Omit<PegRow, 'observed_at'> & { readonly observed_at: string }) | null;
  return {
    coin,
    ...stateAfterSnapshot(snapshot && { ...snapshot, at: new Date(snapshot.at) }, row.since),
    peg: peg && pegOf({ ...peg, observed_at: new Date(peg.observed_at) }),
    looked_at,
    runs: { below_since, above_since, trip_since, at_once },
  };
}

function pegOf({ price, drift_bps, sources, observed_at }: PegRow): Peg {
  return {
    price,
    drift_bps,
    sources: sources.map(({ at, ...quote }) => ({ ...quote, at: new Date(at) })),
    observed_at,
  };
}

function seqBefore(coin: Coin, id: string) {
  const place = 'select s.seq from app.circuit_snapshots s where s.id = :id and s.coin = :of';
  return Raw((seq) => `${seq} < (${place})`, { id, of: coin });
}

/** SQL by hand: a lock. */
const LOCK = 'select coin from app.circuit_monitors where coin = $1 for update';

const SNAPSHOT = `id, coin, from_state as "from", state as "to", cause, actor, reason, justification, evidence_urls, at`;

/** SQL by hand: a monitor with its newest snapshot and observation in one statement, which submissions wait for. */
const READ = `
  select m.coin, m.looked_at, m.below_since, m.above_since, m.trip_since, m.at_once, to_jsonb(s) as snapshot,
    to_jsonb(p) as peg, app.now() as now, (
      select at from app.circuit_snapshots where coin = m.coin and from_state <> state order by seq desc limit 1
    ) as since
  from app.circuit_monitors m
  left join lateral (
    select ${SNAPSHOT} from app.circuit_snapshots where coin = m.coin order by seq desc limit 1
  ) s on true
  left join lateral (
    select price, drift_bps, sources, observed_at from app.peg_observations where coin = m.coin order by seq desc limit 1
  ) p on true
  where m.coin = any($1::text[]) order by array_position($1::text[], m.coin)`;

/** SQL by hand: a window function. */
const ISOLATIONS = `
  select snapshot_id, state, "from", until from (
    select id as snapshot_id, state, at as "from", lead(at) over (order by seq) as until, seq
    from app.circuit_snapshots where coin = $1
  ) lasting
  where state <> 'normal' and "from" <= $3 and (until is null or (until > $2 and until > "from"))
  order by seq`;
