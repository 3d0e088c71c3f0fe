import { isPublic } from '../../../domain/decisions/visibility.ts';
import type { LogEvidence, LogPlace, OpenedOutcome, PublicLeaves } from '../../../domain/log/log-evidence.ts';
import type { NoteSignature } from '../../../domain/log/notes/note.ts';
import { MOST_TILE_WIDTH } from '../../../domain/log/tree/tile.ts';
import type { ErasureTables } from '../accounts/erasure-store.ts';
import type { AuditTables } from '../accounts/trail-stores.ts';
import type { DecisionTables } from '../decisions/decision-tables.ts';
import type { PlanTables } from '../plans/plan-tables.ts';
import { checkpointsOf, gradedIn, loggedIn } from './log-store.ts';
import type { CheckpointRow, LogTables } from './log-tables.ts';
import type { SignatureTables } from './signature-store.ts';

type Tables = LogTables &
  Pick<DecisionTables, 'logs' | 'decisions' | 'evidence' | 'agentSubmissions'> &
  Pick<SignatureTables, 'logSignatures'> &
  Pick<PlanTables, 'plans'> &
  ErasureTables &
  AuditTables;

export function memoryLogEvidence(tables: Tables, now: () => Date): LogEvidence {
  const { logs, logCheckpoints, logDecisions, logEvents, decisions } = tables;
  return {
    logs: async () =>
      logs
        .where(() => true)
        .toSorted((a, b) => a.log - b.log)
        .map(({ started_at: _, ...log }) => log),

    checkpointsAfter: async (log, size, limit) =>
      logCheckpoints
        .where((row) => row.log === log && row.size > size)
        .toSorted((a, b) => a.size - b.size)
        .slice(0, limit)
        .map((row) => ({ ...row, further: furtherOf(tables, row) })),

    decisionsIn: async (log, { from, to }) =>
      logDecisions
        .where((row) => row.log === log && row.index >= from && row.index < to)
        .map((row) => {
          const decision = decisions.get(row.record_id);
          const erased = decision !== undefined && isErased(tables, decision.owner_id);
          return { ...row, erased, decision: decision ? loggedIn(tables, decision) : null };
        }),

    outcomesOf: async (log, indexes) =>
      logDecisions
        .where((row) => row.log === log && indexes.includes(row.index))
        .flatMap((row) => outcomeOf(tables, row) ?? []),

    publicLeaves: (log, bundle) => publicLeaves(tables, now, log, bundle),

    plansIn: async (log, { from, to }) =>
      tables.logPlans
        .where((row) => row.log === log && row.index >= from && row.index < to)
        .map(({ plan_id, index }) => {
          const plan = tables.plans.get(plan_id) ?? null;
          return { plan_id, index, plan, erased: plan !== null && isErased(tables, plan.owner_id) };
        }),

    lostPlans: async (log, limit) =>
      tables.plans
        .where(({ plan_id }) => !tables.logPlans.get(`${log} ${plan_id}`) && !tables.pendingPlans.get(plan_id))
        .map(({ plan_id }) => plan_id)
        .toSorted()
        .slice(0, limit),

    async placesAfter(log, after, limit) {
      const rows = [decisions, logDecisions, logEvents].flatMap((table) =>
        (table.where(() => true) as { readonly record_id: string; readonly log?: number }[]).filter(
          (row) => row.record_id > (after ?? '') && (row.log ?? log) === log,
        ),
      );
      const ids = [...new Set(rows.map(({ record_id }) => record_id))].toSorted().slice(0, limit);
      const sizes = logCheckpoints.where((row) => row.log === log).map(({ size }) => size);
      return { size: Math.max(0, ...sizes), places: ids.map((record_id) => placeOf(tables, log, record_id)) };
    },
  };
}

function furtherOf({ logSignatures }: Tables, { log, size }: CheckpointRow): readonly NoteSignature[] {
  return logSignatures.where((each) => each.log === log && each.size === size);
}

async function publicLeaves(
  tables: Tables,
  now: () => Date,
  log: number,
  bundle: number,
): Promise<PublicLeaves | null> {
  const { logs, logBundles, logDecisions, decisions } = tables;
  const checkpoints = checkpointsOf(tables, now);
  const [row, stored] = [logs.get(String(log)), logBundles.get(`${log} ${bundle}`)];
  const from = bundle * MOST_TILE_WIDTH;
  const { size = 0 } = (await checkpoints.published(log)) ?? {};
  if (!row || !stored || size <= from) return null;
  const isIn = (index: number | undefined) =>
    index !== undefined && index >= from && index < Math.min(size, from + MOST_TILE_WIDTH);
  const shown = logDecisions
    .where((each) => each.log === log)
    .flatMap((each) => {
      const decision = decisions.get(each.record_id);
      return decision && isPublic(decision) ? [{ ...each, decision }] : [];
    });
  const inBundle = shown.filter(({ index }) => isIn(index));
  const first = await checkpoints.firstWithEach(
    log,
    inBundle.map(({ index }) => index),
  );
  const sizes = new Set([...first.values()].map((each) => each.size));
  return {
    log: { log, origin: row.origin, key_id: row.key_id },
    leaves: stored.bytes,
    decisions: inBundle,
    outcomes: shown.flatMap(({ outcome, decision }) =>
      outcome && isIn(outcome.index) ? [{ ...outcome, decision }] : [],
    ),
    checkpoints: tables.logCheckpoints
      .where((each) => each.log === log && sizes.has(each.size))
      .toSorted((a, b) => a.size - b.size)
      .map((each) => ({ ...each, further: furtherOf(tables, each) })),
  };
}

function isErased({ erasures, audit }: Tables, owner_id: string): boolean {
  const isNamed = audit.where(({ subject, action }) => subject === owner_id && action === 'delete_owner').length > 0;
  return isNamed && erasures.get(owner_id) !== undefined;
}

function outcomeOf({ decisions, evidence }: Tables, row: Logged): OpenedOutcome | null {
  const { record_id, index: of, outcome } = row;
  const decision = decisions.get(record_id);
  const document = evidence.get(record_id)?.document ?? null;
  return outcome && { record_id, of, ...outcome, graded: decision ? gradedIn(decision) : null, document };
}

type Logged = ReturnType<LogTables['logDecisions']['where']>[number];

function placeOf({ decisions, logDecisions, logEvents }: Tables, log: number, record_id: string): LogPlace {
  const decision = decisions.get(record_id);
  const leaves = logDecisions.get(`${log} ${record_id}`);
  const events = logEvents.where((row) => row.record_id === record_id).toSorted((a, b) => a.seq - b.seq);
  return {
    record_id,
    lifecycle_state: decision?.lifecycle_state ?? null,
    hasOutcome: decision?.facts != null,
    index: leaves?.index ?? null,
    outcome_index: leaves?.outcome?.index ?? null,
    pending: events.map(({ event, reason }) => ({ event, reason })),
  };
}
