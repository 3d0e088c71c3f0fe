import { type Circuit, type CircuitSnapshot, type Runs, standingAfter } from '../../../domain/circuits/circuit.ts';
import type { CircuitStore } from '../../../domain/circuits/circuit-store.ts';
import { COINS, type Coin } from '../../../domain/circuits/coin.ts';
import type { Isolation } from '../../../domain/circuits/isolation.ts';
import type { Peg, PegQuote } from '../../../domain/circuits/peg.ts';
import { CIRCUIT } from '../../../domain/limits.ts';
import { SECOND } from '../../../domain/time.ts';
import type { Sql } from '../kit/sql.ts';

export function postgresCircuits(sql: Sql): CircuitStore {
  return {
    async all() {
      const rows = await sql.rows<CircuitRow>(READ, [COINS]);
      return rows.map(circuitOf);
    },

    transition: (coin, rule) =>
      sql.atomically(async (own) => {
        await own.rows(LOCK, [coin]);
        // A statement of its own, so that it sees what whoever held the lock before has written, and the time after the wait.
        const [row] = await own.rows<CircuitRow>(READ, [[coin]]);
        if (!row) throw new Error(`There is no circuit of ${coin}.`);
        const step = rule(circuitOf(row), row.now);
        if (step.snapshot) await own.rows(APPEND, snapshotValues(step.snapshot));
        if (step.observation) await own.rows(OBSERVE, [coin, ...observationValues(step.observation)]);
        await own.rows(REMEMBER, [coin, step.circuit.looked_at, ...runValues(step.circuit.runs)]);
        return step;
      }),

    history: (coin, before, limit) => sql.rows<CircuitSnapshot>(HISTORY, [coin, before, limit]),

    async isolations(coin, from, to) {
      const rows = await sql.rows<IsolationRow>(ISOLATIONS, [coin, new Date(from), new Date(to)]);
      return rows.map((row) => ({ ...row, from: row.from.getTime(), until: row.until?.getTime() ?? null }));
    },

    async observations(coin, from) {
      return (await sql.rows<PegRow>(OBSERVATIONS, [coin, from])).map(pegOf);
    },

    async prune() {
      return (await sql.rows(PRUNE)).length;
    },
  };
}

interface CircuitRow extends Runs {
  readonly coin: Coin;
  readonly looked_at: Date | null;
  readonly snapshot: { readonly at: string } | null;
  readonly peg: { readonly observed_at: string } | null;
  readonly now: Date;
}

type Travelling<T, Time extends keyof T> = Omit<T, Time> & { readonly [Field in Time]: string };
type PegRow = Omit<Peg, 'sources'> & { readonly sources: readonly Travelling<PegQuote, 'at'>[] };
type IsolationRow = Omit<Isolation, 'from' | 'until'> & { readonly from: Date; readonly until: Date | null };

/** Times within a JSON value come as text. */
function circuitOf(row: CircuitRow): Circuit {
  const { coin, looked_at, below_since, above_since, trip_since, at_once } = row;
  const snapshot = row.snapshot as Travelling<CircuitSnapshot, 'at'> | null;
  const peg = row.peg as (Omit<PegRow, 'observed_at'> & { readonly observed_at: string }) | null;
  return {
    coin,
    ...standingAfter(snapshot && { ...snapshot, at: new Date(snapshot.at) }),
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

function snapshotValues(snapshot: CircuitSnapshot): readonly unknown[] {
  const { id, coin, from, to, cause, actor, reason, justification, evidence_urls, at } = snapshot;
  return [id, coin, from, to, cause, actor, reason, justification, evidence_urls, at];
}

function observationValues({ price, drift_bps, sources, observed_at }: Peg): readonly unknown[] {
  return [price, drift_bps, JSON.stringify(sources), observed_at];
}

function runValues({ below_since, above_since, trip_since, at_once }: Runs): readonly unknown[] {
  return [below_since, above_since, trip_since, at_once];
}

const LOCK = 'select coin from app.circuit_monitors where coin = $1 for update';

const SNAPSHOT = `id, coin, from_state as "from", state as "to", cause, actor, reason, justification, evidence_urls, at`;

const READ = `
  select m.coin, m.looked_at, m.below_since, m.above_since, m.trip_since, m.at_once, to_jsonb(s) as snapshot,
    to_jsonb(p) as peg, app.now() as now
  from app.circuit_monitors m
  left join lateral (
    select ${SNAPSHOT} from app.circuit_snapshots where coin = m.coin order by seq desc limit 1
  ) s on true
  left join lateral (
    select price, drift_bps, sources, observed_at from app.peg_observations where coin = m.coin order by seq desc limit 1
  ) p on true
  where m.coin = any($1::text[]) order by array_position($1::text[], m.coin)`;

const APPEND = `
  insert into app.circuit_snapshots (id, coin, from_state, state, cause, actor, reason, justification, evidence_urls, at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`;

const OBSERVE = `
  insert into app.peg_observations (coin, price, drift_bps, sources, observed_at) values ($1, $2, $3, $4::jsonb, $5)`;

const REMEMBER = `
  update app.circuit_monitors set looked_at = $2, below_since = $3, above_since = $4, trip_since = $5, at_once = $6
  where coin = $1`;

const HISTORY = `
  select ${SNAPSHOT} from app.circuit_snapshots
  where coin = $1
    and ($2::uuid is null or seq < (select s.seq from app.circuit_snapshots s where s.id = $2 and s.coin = $1))
  order by seq desc limit $3`;

const ISOLATIONS = `
  select snapshot_id, state, "from", until from (
    select id as snapshot_id, state, at as "from", lead(at) over (order by seq) as until, seq
    from app.circuit_snapshots where coin = $1
  ) lasting
  where state <> 'normal' and "from" <= $3 and (until is null or (until > $2 and until > "from"))
  order by seq`;

const OBSERVATIONS = `
  select price, drift_bps, sources, observed_at from app.peg_observations
  where coin = $1 and observed_at >= $2 order by seq`;

const PRUNE = `
  delete from app.peg_observations using (select app.now() as at) clock
  where observed_at <= clock.at - interval '${CIRCUIT.keepObservations / SECOND} seconds'
  returning seq`;
