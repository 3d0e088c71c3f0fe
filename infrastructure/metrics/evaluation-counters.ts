import { Counter, Histogram, type Registry } from 'prom-client';
import { moveOf } from '../../domain/decisions/evaluation-end.ts';
import type { ClaimedDecision, EvaluationEnd, EvaluationStore } from '../../domain/decisions/evaluation-store.ts';
import { EVALUATION } from '../../domain/limits.ts';
import { SECOND } from '../../domain/time.ts';

/** From seconds to days. */
const WAITS = [1, 5, 15, 60, 300, 900, 3_600, 14_400, 86_400, 604_800];

export interface EvaluationCounters {
  /** The same store; the ends of evaluations are counted. */
  countedEvaluations(evaluations: EvaluationStore): EvaluationStore;
}

/** Counts how the evaluations of this process ended and how late its grades came. */
export function evaluationCounters(registry: Registry): EvaluationCounters {
  const ends = new Counter({
    name: 'stancebook_evaluations_total',
    help: 'Evaluations that ended, by result and, without a grade, by reason.',
    labelNames: ['result', 'reason'],
    registers: [registry],
  });
  const waits = new Histogram({
    name: 'stancebook_evaluation_wait_seconds',
    help: 'From the time at which a record could first be graded (received, and its prices settled) to its grade.',
    buckets: WAITS,
    registers: [registry],
  });
  const held = dueTimes();
  return {
    countedEvaluations: (evaluations) => ({
      ...evaluations,
      async claimDue(...parameters) {
        const claimed = await evaluations.claimDue(...parameters);
        for (const each of claimed) held.add(each);
        return claimed;
      },
      async endEvaluations(all, now) {
        const ended = new Set(await evaluations.endEvaluations(all, now));
        for (const end of all) {
          const due = held.take(end);
          if (!ended.has(end.record_id)) continue;
          ends.inc(labelsOf(end));
          if (end.result.kind === 'evaluated' && due) waits.observe((now.getTime() - due.getTime()) / SECOND);
        }
        return [...ended];
      },
    }),
  };
}

function labelsOf(end: EvaluationEnd): { readonly result: string; readonly reason: string } {
  const { result } = end;
  if (result.kind === 'evaluated') return { result: 'evaluated', reason: '' };
  return { result: moveOf(end) === 'give_up' ? 'data_unavailable' : result.kind, reason: result.reason };
}

/** The due times of claimed records. The oldest are dropped, because another process may have taken them over. */
function dueTimes() {
  const times = new Map<string, Date>();
  return {
    add({ token, decision: { settles_at, submission_time } }: ClaimedDecision): void {
      times.set(token, settles_at > submission_time ? settles_at : submission_time);
      const [oldest] = times.keys();
      if (times.size > MOST && oldest !== undefined) times.delete(oldest);
    },
    take({ token }: EvaluationEnd): Date | undefined {
      const due = times.get(token);
      times.delete(token);
      return due;
    },
  };
}

const MOST = 10 * EVALUATION.batch;
