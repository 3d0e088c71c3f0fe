import { Counter, Gauge, type Registry } from 'prom-client';
import { datasetLag } from '../../application/datasets/publish-dataset.ts';
import type { Ports, Settings } from '../../application/ports.ts';
import { ATLAS } from '../../domain/limits.ts';
import type { LogPolicy } from '../../domain/log/notes/policy.ts';
import type { WitnessReport } from '../../domain/log/notes/signature-store.ts';
import { SIGNING_STATES, type SigningState } from '../../domain/service-processes.ts';
import { HOUR, SECOND } from '../../domain/time.ts';

export type StoragePorts = BacklogPorts &
  AtlasPorts &
  Pick<Ports, 'log' | 'signatures' | 'expiry' | 'erasures' | 'datasets'>;

/** What of the storage is configured; null: it has no figures. */
interface StorageOptions {
  readonly logPolicy: LogPolicy | null;
  readonly dataSnapshots: Settings['dataSnapshots'];
}

/** The gauges of what the database holds; each function reads some of them. */
export function storageGauges(registry: Registry, ports: StoragePorts, { logPolicy, dataSnapshots }: StorageOptions) {
  return [
    backlogGauges(registry, ports),
    atlasGauge(registry, ports),
    logGauges(registry, ports),
    expiryGauges(registry, ports),
    erasureGauges(registry, ports),
    ...(dataSnapshots ? [datasetGauge(registry, ports)] : []),
    ...(logPolicy ? [witnessGauge(registry, ports, logPolicy)] : []),
  ];
}

type BacklogPorts = Pick<Ports, 'evaluations' | 'circuits' | 'clock' | 'cohortCells'>;

/** Read at each scrape; NaN when the database does not answer, so that the scrape still shows the rest. */
function backlogGauges(registry: Registry, { evaluations, cohortCells, clock }: BacklogPorts) {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] });
  const due = gauge('stancebook_evaluations_due', 'Records that are due for evaluation and not claimed by a process.');
  const late = gauge('stancebook_evaluation_lag_seconds', 'How long the oldest of them has been due.');
  const tail = gauge('stancebook_cohort_tail_records', 'Public records that are not in the cells of cohorts yet.');
  const tailAge = gauge('stancebook_cohort_tail_age_seconds', 'How long ago the first of them was graded.');
  const changes = gauge(
    'stancebook_track_tail_changes',
    'Changes that are not in the counts of agents and workflows yet.',
  );
  return async () => {
    const now = await clock.now().catch(() => null);
    const backlog = now && (await evaluations.backlog(now).catch(() => null));
    due.set(backlog?.due ?? Number.NaN);
    late.set(secondsSince(backlog, now));
    const unfolded = now && (await cohortCells.unfolded().catch(() => null));
    tail.set(unfolded?.records ?? Number.NaN);
    tailAge.set(secondsSince(unfolded, now));
    const unfoldedChanges = now && (await cohortCells.unfoldedChanges().catch(() => null));
    changes.set(unfoldedChanges ?? Number.NaN);
  };
}

function secondsSince(waiting: { readonly since: Date | null } | null, now: Date | null): number {
  if (waiting === null || now === null) return Number.NaN;
  return waiting.since === null ? 0 : (now.getTime() - waiting.since.getTime()) / SECOND;
}

/** Read at each scrape; no series when the database does not answer, so that the scrape still shows the rest. */
function expiryGauges(registry: Registry, { expiry, clock }: Pick<Ports, 'expiry' | 'clock'>) {
  const [labelNames, registers] = [['table'], [registry]];
  const deleted = new Counter({
    name: 'stancebook_expired_rows_deleted_total',
    help: 'Expired rows that were deleted from the table.',
    labelNames,
    registers,
  });
  const wait = new Gauge({
    name: 'stancebook_expired_rows_wait_seconds',
    help: 'The longest that an expired row can have waited to be deleted: since the last whole pass over the table began.',
    labelNames,
    registers,
  });
  return async () => {
    for (const each of [deleted, wait]) each.reset();
    const [now, passes] = await Promise.all([clock.now().catch(() => null), expiry.passes().catch(() => [])]);
    for (const { table, deleted: rows, clean_until } of passes) {
      deleted.inc({ table }, rows);
      if (now && clean_until) wait.set({ table }, (now.getTime() - clean_until.getTime()) / SECOND);
    }
  };
}

/** Read at each scrape; NaN when the database does not answer. */
function erasureGauges(registry: Registry, { erasures, clock }: Pick<Ports, 'erasures' | 'clock'>) {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] });
  const scheduled = gauge('stancebook_erasures_scheduled', 'Accounts whose erasure can still be taken back.');
  const underWay = gauge('stancebook_erasures_under_way', 'Removed accounts whose records are not erased yet.');
  const late = gauge('stancebook_erasure_lag_seconds', 'How long the oldest erasure that has not ended has been due.');
  const records = gauge('stancebook_erased_records', 'Records whose owner-only text is erased.');
  return async () => {
    const now = await clock.now().catch(() => null);
    const overview = now && (await erasures.overview().catch(() => null));
    scheduled.set(overview?.scheduled ?? Number.NaN);
    underWay.set(overview?.under_way ?? Number.NaN);
    records.set(overview?.records ?? Number.NaN);
    late.set(overview && now ? (now.getTime() - (overview.due_since ?? now).getTime()) / SECOND : Number.NaN);
  };
}

type AtlasPorts = Pick<Ports, 'atlas' | 'clock'>;

/** Read at each scrape; NaN before the first build and when the database does not answer. */
function atlasGauge(registry: Registry, { atlas, clock }: AtlasPorts) {
  const help = `Age of the served atlas; a build is due after ${ATLAS.rebuildEvery / SECOND}.`;
  const age = new Gauge({ name: 'stancebook_atlas_age_seconds', help, registers: [registry] });
  return async () => {
    const now = await clock.now().catch(() => null);
    const state = now && (await atlas.state().catch(() => null));
    const built = state?.built?.generated_at;
    age.set(now && built ? (now.getTime() - built.getTime()) / SECOND : Number.NaN);
  };
}

/** Read at each scrape; NaN when the database does not answer. */
function datasetGauge(registry: Registry, ports: Parameters<typeof datasetLag>[0]) {
  const late = new Gauge({
    name: 'stancebook_data_snapshot_lag_seconds',
    help: 'How long the public snapshot of this month has been due; 0 once it is made.',
    registers: [registry],
  });
  return async () =>
    late.set(
      await datasetLag(ports).then(
        (lag) => lag / SECOND,
        () => Number.NaN,
      ),
    );
}

/** Read at each scrape; NaN while there is no log, and when the database does not answer. */
function logGauges(registry: Registry, { log, clock }: Pick<Ports, 'log' | 'clock'>) {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] });
  const size = gauge('stancebook_log_size', 'Leaves of the newest signed checkpoint of the newest evidence log.');
  const signed = gauge('stancebook_log_signed_timestamp_seconds', 'When that checkpoint was signed (Unix time).');
  const pending = gauge('stancebook_log_pending_events', 'Events without a leaf, with those that are not ready yet.');
  const lag = gauge('stancebook_log_lag_seconds', 'How long the oldest submission or outcome has waited for its leaf.');
  const late = gauge(
    'stancebook_log_late_decisions',
    'Realtime decisions whose leaf was signed in the last hour, more than 5 minutes after their minute.',
  );
  return async () => {
    const now = await clock.now().catch(() => null);
    const overview = now && (await overviewOf(log, now).catch(() => null));
    size.set(overview?.size ?? Number.NaN);
    signed.set(overview?.signed_at ? overview.signed_at.getTime() / SECOND : Number.NaN);
    pending.set(overview?.pending ?? Number.NaN);
    late.set(now && overview ? await lateOf(log, now).catch(() => Number.NaN) : Number.NaN);
    lag.set(now && overview ? (now.getTime() - (overview.waiting_since ?? now).getTime()) / SECOND : Number.NaN);
  };
}

async function lateOf(log: Ports['log'], now: Date): Promise<number> {
  const newest = await log.newest();
  return newest ? log.lateDecisions(newest.log, new Date(now.getTime() - HOUR)) : Number.NaN;
}

async function overviewOf(log: Ports['log'], now: Date) {
  const newest = await log.newest();
  return newest && log.overview(newest.log, now);
}

/** Whether this process signs the evidence log; no series in a process that does not write it. */
export function signingGauge(registry: Registry, signing: () => SigningState | null): void {
  new Gauge({
    name: 'stancebook_log_state',
    help: '1 for the current state of signing the evidence log, 0 for the others.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const current = signing();
      if (current === null) return;
      for (const state of SIGNING_STATES) this.set({ state }, state === current ? 1 : 0);
    },
  });
}

/** Read at each scrape; no series when the database does not answer, and without a policy. */
function witnessGauge(
  registry: Registry,
  { log, signatures, clock }: Pick<Ports, 'log' | 'signatures' | 'clock'>,
  policy: LogPolicy,
) {
  const age = new Gauge({
    name: 'stancebook_log_witness_age_seconds',
    help: 'How long ago a witness of the policy cosigned a checkpoint last; +Inf: never.',
    labelNames: ['witness'],
    registers: [registry],
  });
  return async () => {
    age.reset();
    const [now, reports] = await Promise.all([clock.now(), reportsOf({ log, signatures })]).catch(() => []);
    if (!now || !reports) return;
    for (const { name: witness, key } of policy.witnesses) {
      const report = reports.find(({ name, id }) => name === key.name && id === key.id);
      const at = report?.cosigned_at?.getTime() ?? Number.NEGATIVE_INFINITY;
      age.set({ witness }, (now.getTime() - at) / SECOND);
    }
  };
}

async function reportsOf({ log, signatures }: Pick<Ports, 'log' | 'signatures'>): Promise<readonly WitnessReport[]> {
  const newest = await log.newest();
  return newest ? signatures.reports(newest.log) : [];
}
