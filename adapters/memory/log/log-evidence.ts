import { isPublic } from '../../../domain/decisions/visibility.ts';
import { hexOf } from '../../../domain/log/encoding.ts';
import type {
  LogEvidence,
  LoggedGrade,
  LogPlace,
  OpenedOutcome,
  PublicLeaves,
} from '../../../domain/log/log-evidence.ts';
import type { OutcomeSecrets } from '../../../domain/log/log-store.ts';
import type { NoteSignature } from '../../../domain/log/notes/note.ts';
import type { SignatureStore, StoredKey, WitnessReport } from '../../../domain/log/notes/signature-store.ts';
import { MOST_TILE_WIDTH } from '../../../domain/log/tree/tile.ts';
import type { ErasureTables } from '../accounts/erasure-store.ts';
import type { AuditTables } from '../accounts/trail-stores.ts';
import type { DecisionTables } from '../decisions/decision-tables.ts';
import type { Table } from '../kit/table.ts';
import type { PlanTables } from '../plans/plan-tables.ts';
import { checkpointsOf, gradedIn, loggedIn } from './log-store.ts';
import { type CheckpointRow, type LogTables, sharing, treeOf } from './log-tables.ts';

type Tables = LogTables &
  Pick<DecisionTables, 'logs' | 'decisions' | 'evidence' | 'agentSubmissions'> &
  Pick<SignatureTables, 'logSignatures'> &
  Pick<PlanTables, 'plans'> &
  ErasureTables &
  AuditTables;

export function memoryLogEvidence(tables: Tables, now: () => Date): LogEvidence {
  const { logs, logCheckpoints, logDecisions, logEvents, decisions } = tables;
  const tree = (log: number) => treeOf(tables, log);
  return {
    logs: async () =>
      logs
        .where(() => true)
        .toSorted((a, b) => a.log - b.log)
        .map(({ log, origin, key_id }) => ({ log, origin, key_id })),

    async checkpointsAfter(log, size, limit) {
      const own = sharing(tables, tree(log)).map((each) => each.log);
      return logCheckpoints
        .where((row) => own.includes(row.log) && row.size > size)
        .toSorted((a, b) => a.size - b.size)
        .slice(0, limit)
        .map((row) => ({ ...row, further: furtherOf(tables, row) }));
    },

    decisionsIn: async (log, { from, to }) =>
      logDecisions
        .where((row) => row.log === tree(log) && row.index >= from && row.index < to)
        .map((row) => {
          const decision = decisions.get(row.record_id);
          const erased = decision !== undefined && isErased(tables, decision.owner_id);
          return { ...row, erased, decision: decision ? loggedIn(tables, decision) : null };
        }),

    outcomesOf: async (log, indexes) =>
      logDecisions
        .where((row) => row.log === tree(log) && indexes.includes(row.index))
        .flatMap((row) => outcomeOf(tables, row) ?? []),

    publicLeaves: (log, bundle) => publicLeaves(tables, now, log, bundle),

    plansIn: async (log, { from, to }) =>
      tables.logPlans
        .where((row) => row.log === tree(log) && row.index >= from && row.index < to)
        .map(({ plan_id, index }) => {
          const plan = tables.plans.get(plan_id) ?? null;
          return { plan_id, index, plan, erased: plan !== null && isErased(tables, plan.owner_id) };
        }),

    lostPlans: async (log, limit) =>
      tables.plans
        .where(({ plan_id }) => !tables.logPlans.get(`${tree(log)} ${plan_id}`) && !tables.pendingPlans.get(plan_id))
        .map(({ plan_id }) => plan_id)
        .toSorted()
        .slice(0, limit),

    async placesAfter(log, after, limit) {
      const rows = [decisions, logDecisions, logEvents].flatMap((table) =>
        (table.where(() => true) as { readonly record_id: string; readonly log?: number }[]).filter(
          (row) => row.record_id > (after ?? '') && (row.log ?? tree(log)) === tree(log),
        ),
      );
      const ids = [...new Set(rows.map(({ record_id }) => record_id))].toSorted().slice(0, limit);
      const sizes = logCheckpoints.where((row) => row.log === log).map(({ size }) => size);
      return { size: Math.max(0, ...sizes), places: ids.map((record_id) => placeOf(tables, tree(log), record_id)) };
    },
  };
}

function furtherOf(
  { logSignatures }: Tables,
  { log, size }: Pick<CheckpointRow, 'log' | 'size'>,
): readonly NoteSignature[] {
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
  const stored = logBundles.get(`${treeOf(tables, log)} ${bundle}`);
  const from = bundle * MOST_TILE_WIDTH;
  const { size = 0 } = (await checkpoints.published(log)) ?? {};
  if (!stored || size <= from) return null;
  const isIn = (index: number | undefined) =>
    index !== undefined && index >= from && index < Math.min(size, from + MOST_TILE_WIDTH);
  const shown = logDecisions
    .where((each) => each.log === treeOf(tables, log))
    .flatMap((each) => {
      const decision = decisions.get(each.record_id);
      return decision && isPublic(decision) ? [{ ...each, decision }] : [];
    });
  const inBundle = shown.filter(({ index }) => isIn(index));
  const first = await checkpoints.firstWithEach(
    log,
    inBundle.map(({ index }) => index),
  );
  const proving = new Map([...first.values()].map((each) => [`${each.log} ${each.size}`, each]));
  return {
    leaves: stored.bytes,
    decisions: inBundle.map(({ index, public_salt, producer, decision }) => {
      return { index, decision, public_salt: hexOf(public_salt), producer: hexOf(producer) };
    }),
    outcomes: shown.flatMap(({ outcome, decision }) =>
      outcome && isIn(outcome.index) ? [outcomeLeafOf(outcome, decision)] : [],
    ),
    checkpoints: [...proving.values()]
      .toSorted((a, b) => a.size - b.size)
      .flatMap((each) => {
        const of = logs.get(String(each.log));
        const further = furtherOf(tables, each);
        return of ? [{ ...each, origin: of.origin, key_id: each.key_id ?? of.key_id, further }] : [];
      }),
  };
}

function outcomeLeafOf(
  { index, outcome_salt, evidence, shown }: { readonly index: number } & OutcomeSecrets,
  decision: LoggedGrade,
): PublicLeaves['outcomes'][number] {
  const facts = decision.facts && JSON.stringify({ ...decision.facts, ...shown });
  return { index, outcome_salt: hexOf(outcome_salt), evidence, decision, facts };
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

export interface SignatureTables {
  /** By log and key. */
  readonly logKeys: Table<string, StoredKey & { readonly log: number }>;
  /** By log, size and key. */
  readonly logSignatures: Table<string, NoteSignature & { readonly log: number; readonly size: number }>;
  /** By log and key. */
  readonly logWitnesses: Table<string, WitnessReport & { readonly log: number }>;
}

type StoreTables = SignatureTables & Pick<LogTables, 'logCheckpoints'>;

export function memorySignatures(
  { logKeys, logSignatures, logWitnesses, logCheckpoints }: StoreTables,
  now: () => Date,
): SignatureStore {
  return {
    keys: async (log) => logKeys.where((row) => row.log === log).map(({ log: _, ...row }) => row),
    async addKey(log, key) {
      const at = `${log} ${key.key_id}`;
      if (!logKeys.get(at)) logKeys.set(at, { log, ...key, since: now() });
    },
    signatures: async (log, size) =>
      logSignatures
        .where((row) => row.log === log && row.size === size)
        .map(({ name, id, signature }) => ({ name, id, signature })),
    async addSignature(log, size, signature) {
      const at = `${log} ${size} ${signature.name} ${signature.id}`;
      if (!logSignatures.get(at)) logSignatures.set(at, { log, size, ...signature });
    },
    reports: async (log) => logWitnesses.where((row) => row.log === log).map(({ log: _, ...row }) => row),
    async report(log, report) {
      const at = `${log} ${report.name} ${report.id}`;
      if ((logWitnesses.get(at)?.size ?? 0) <= report.size) logWitnesses.set(at, { log, ...report });
    },
    async meetQuorum(log, size) {
      const at = `${log} ${size}`;
      const row = logCheckpoints.get(at);
      const later = logCheckpoints.where((each) => each.log === log && each.size > size && each.witnessed_at !== null);
      if (row?.witnessed_at === null && later.length === 0) logCheckpoints.set(at, { ...row, witnessed_at: now() });
    },
  };
}
