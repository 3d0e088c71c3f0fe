import type { GradedDecision } from '../../../domain/log/leaves/public-statement.ts';
import type {
  LeafOfPlan,
  LogEvidence,
  LogPlace,
  OpenedDecision,
  OpenedOutcome,
  SignedCheckpoint,
} from '../../../domain/log/log-evidence.ts';
import type { DecisionSecrets, OutcomeSecrets, StoredLog } from '../../../domain/log/log-store.ts';
import type { NoteSignature } from '../../../domain/log/notes/note.ts';
import type { SignatureStore, StoredKey, WitnessReport } from '../../../domain/log/notes/signature-store.ts';
import type { Sql } from '../kit/sql.ts';
import { PLAN_COLUMNS, type PlanRow, storedPlan } from '../plans/plan-store.ts';
import { SHARING, TREE } from './log-writes.ts';
import { DECISION_COLUMNS, decisionOf, OUTCOME_COLUMNS, type StatedRow } from './pending-events.ts';
import { publicLeaves } from './public-leaves.ts';

const KEYS = 'select key_id, public_key, since from app.log_keys where log = $1 order by since, key_id';

const ADD_KEY = `
  insert into app.log_keys (log, key_id, public_key) values ($1, $2, $3) on conflict (log, key_id) do nothing`;

const SIGNATURES = `
  select name, key_id as id, signature from app.log_signatures where log = $1 and size = $2 order by at, name, key_id`;

const ADD_SIGNATURE = `
  insert into app.log_signatures (log, size, name, key_id, signature) values ($1, $2, $3, $4, $5)
  on conflict (log, size, name, key_id) do nothing`;

const REPORTS = `
  select name, key_id as id, size::float8 as size, signature, cosigned_at, refused
  from app.log_witnesses where log = $1 order by name, key_id`;

const REPORT = `
  insert into app.log_witnesses as w (log, name, key_id, size, signature, cosigned_at, refused)
  values ($1, $2, $3, $4, $5, $6, $7)
  on conflict (log, name, key_id) do update set size = excluded.size, signature = excluded.signature,
    cosigned_at = excluded.cosigned_at, refused = excluded.refused
  where w.size <= excluded.size`;

const MEET_QUORUM = `
  update app.log_checkpoints c set witnessed_at = app.now()
  where c.log = $1 and c.size = $2 and c.witnessed_at is null and not exists (
    select from app.log_checkpoints l where l.log = $1 and l.size > $2 and l.witnessed_at is not null)`;

/** SQL by hand: sets of leaves, and one snapshot of decisions with what the log has of them. */
export function postgresLogEvidence(sql: Sql): LogEvidence {
  return {
    logs: () => sql.rows<StoredLog>('select log, origin, key_id from app.logs order by log'),
    checkpointsAfter: async (...page) => (await sql.rows<CheckpointRow>(CHECKPOINTS_AFTER, page)).map(checkpointOf),
    decisionsIn: async (log, { from, to }) =>
      (await sql.rows<DecisionRow>(DECISIONS_IN, [log, from, to])).map(openedOf),
    outcomesOf: async (log, indexes) => (await sql.rows<OutcomeRow>(OUTCOMES_OF, [log, indexes])).map(outcomeOf),
    publicLeaves: (log, bundle) => publicLeaves(sql, log, bundle),
    plansIn: async (log, { from, to }) => (await sql.rows<PlanLeafRow>(PLANS_IN, [log, from, to])).map(planOf),
    lostPlans: async (log, limit) =>
      (await sql.rows<{ plan_id: string }>(LOST_PLANS, [log, limit])).map(({ plan_id }) => plan_id),
    async placesAfter(log, after, limit) {
      const rows = await sql.rows<LogPlace & { readonly size: number }>(PLACES_AFTER, [log, after ?? '', limit]);
      return { size: rows[0]?.size ?? 0, places: rows };
    },
  };
}

interface CheckpointRow extends Omit<SignedCheckpoint, 'further'> {
  readonly further: readonly (Omit<NoteSignature, 'signature'> & { readonly signature: string })[];
}

function checkpointOf({ further, ...row }: CheckpointRow): SignedCheckpoint {
  return { ...row, further: further.map((each) => ({ ...each, signature: Buffer.from(each.signature, 'hex') })) };
}

interface DecisionRow extends DecisionSecrets, StatedRow {
  readonly index: number;
  readonly is_stored: boolean;
  readonly erased: boolean;
}

function openedOf({ index, is_stored, erased, public_salt, producer, ...row }: DecisionRow): OpenedDecision {
  const decision = is_stored ? decisionOf(row) : null;
  return { record_id: row.record_id, index, public_salt, producer, erased, decision };
}

interface PlanLeafRow extends PlanRow, Pick<LeafOfPlan, 'index' | 'erased'> {
  readonly leaf_of: string;
  readonly is_stored: boolean;
}

function planOf({ index, leaf_of, is_stored, erased, ...row }: PlanLeafRow): LeafOfPlan {
  return { plan_id: leaf_of, index, erased, plan: is_stored ? storedPlan(row) : null };
}

interface OutcomeRow
  extends OutcomeSecrets,
    GradedDecision,
    Pick<OpenedOutcome, 'record_id' | 'index' | 'of' | 'document'> {
  readonly is_stored: boolean;
}

function outcomeOf({ is_stored, ...row }: OutcomeRow): OpenedOutcome {
  return { ...row, graded: is_stored ? row : null };
}

/** Whether the owner of a row was erased, by a command that the audit log has. */
function erasedOwner(row: string): string {
  return `(coalesce(app.is_erased(${row}.owner_id), false) and exists (select from app.audit_log a
      where a.subject = ${row}.owner_id::text and a.action = 'delete_owner'))`;
}

const CHECKPOINTS_AFTER = `
  select c.log, c.size::float8 as size, c.root, c.signature, c.key_id, (
      select coalesce(jsonb_agg(jsonb_build_object(
        'name', s.name, 'id', s.key_id, 'signature', encode(s.signature, 'hex'))), '[]')
      from app.log_signatures s where s.log = c.log and s.size = c.size) as further
  from (select log from ${SHARING}) g cross join lateral (
    select * from app.log_checkpoints where log = g.log and size > $2 order by size limit $3
  ) c order by c.size limit $3`;

const DECISIONS_IN = `
  select l.index::float8 as index, l.public_salt, l.producer, d.record_id is not null and s.record_id is not null as is_stored,
    ${erasedOwner('d')} as erased, ${DECISION_COLUMNS}, l.record_id
  from app.log_decisions l
  left join app.decisions d using (record_id)
  left join app.decision_documents s using (record_id)
  where l.log = ${TREE} and l.index >= $2 and l.index < $3`;

const OUTCOMES_OF = `
  select l.record_id, l.index::float8 as index, c.index::float8 as of, l.outcome_salt, l.evidence_salt,
    encode(l.evidence, 'hex') as evidence, l.shown, d.record_id is not null and o.record_id is not null as is_stored,
    d.market, d.venue, d.submission_origin, d.anchor_time, d.end_time, ${OUTCOME_COLUMNS}
  from unnest($2::bigint[]) at(index)
  join app.log_decisions c on c.log = ${TREE} and c.index = at.index
  join app.log_outcomes l on l.log = c.log and l.record_id = c.record_id
  left join app.decisions d on d.record_id = l.record_id
  left join app.decision_outcomes o on o.record_id = l.record_id
  left join app.outcome_evidence e on e.record_id = l.record_id`;

const PLANS_IN = `
  select l.plan_id as leaf_of, l.index::float8 as index, p.plan_id is not null as is_stored,
    ${erasedOwner('p')} as erased, ${PLAN_COLUMNS}
  from app.log_plans l left join app.plans p using (plan_id)
  where l.log = ${TREE} and l.index >= $2 and l.index < $3`;

const LOST_PLANS = `
  select p.plan_id from app.plans p
  where not exists (select from app.log_plans l where l.plan_id = p.plan_id and l.log = ${TREE})
    and not exists (select from app.log_pending_plans w where w.plan_id = p.plan_id)
  order by p.plan_id limit $2`;

const PLACES_AFTER = `
  with ids as (
    (select record_id from app.decisions where record_id > $2 order by record_id limit $3)
    union (select record_id from app.log_decisions where record_id > $2 and log = ${TREE} order by record_id limit $3)
    union (select record_id from app.log_outcomes where record_id > $2 and log = ${TREE} order by record_id limit $3)
    union (select record_id from app.log_pending where record_id > $2 order by record_id limit $3)
    order by record_id limit $3
  )
  select (select coalesce(max(size), 0) from app.log_checkpoints where log = $1)::float8 as size,
    i.record_id, d.lifecycle_state, o.record_id is not null as "hasOutcome", l.index::float8 as index,
    g.index::float8 as outcome_index, coalesce((
      select jsonb_agg(jsonb_build_object('event', case p.event when 'numbered' then 'decision' else p.event end,
        'reason', p.reason) order by p.seq) from app.log_pending p
      where p.record_id = i.record_id), '[]') as pending
  from ids i
  left join app.decisions d using (record_id)
  left join app.decision_outcomes o on o.record_id = i.record_id and o.record_id > $2
  left join app.log_decisions l on l.log = ${TREE} and l.record_id = i.record_id
  left join app.log_outcomes g on g.log = ${TREE} and g.record_id = i.record_id
  order by i.record_id`;

/** SQL by hand: the first row of a key stays, and a report of a smaller size replaces none. */
export function postgresSignatures(sql: Sql): SignatureStore {
  return {
    keys: (log) => sql.rows<StoredKey>(KEYS, [log]),
    addKey: async (log, { key_id, public_key }) => void (await sql.rows(ADD_KEY, [log, key_id, public_key])),
    signatures: (log, size) => sql.rows<NoteSignature>(SIGNATURES, [log, size]),
    addSignature: async (log, size, { name, id, signature }) =>
      void (await sql.rows(ADD_SIGNATURE, [log, size, name, id, signature])),
    reports: (log) => sql.rows<WitnessReport>(REPORTS, [log]),
    report: async (log, { name, id, size, signature, cosigned_at, refused }) =>
      void (await sql.rows(REPORT, [log, name, id, size, signature, cosigned_at, refused])),
    meetQuorum: async (log, size) => void (await sql.rows(MEET_QUORUM, [log, size])),
  };
}
