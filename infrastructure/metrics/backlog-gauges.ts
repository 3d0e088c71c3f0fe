import { Gauge, type Registry } from 'prom-client';
import type { Ports } from '../../application/ports.ts';
import { SECOND } from '../../domain/time.ts';

export type BacklogPorts = Pick<Ports, 'evaluations' | 'circuits' | 'clock' | 'cohortCells'>;

/** Read at each scrape; NaN when the database does not answer, so that the scrape still shows the rest. */
export function backlogGauges(registry: Registry, { evaluations, cohortCells, clock }: BacklogPorts) {
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
