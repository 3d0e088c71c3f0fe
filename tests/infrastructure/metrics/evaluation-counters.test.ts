import { expect, test } from '@jest/globals';
import { openMemory } from '../../../adapters/memory/storage.ts';
import type { ClaimedDecision, EvaluationEnd, EvaluationStore } from '../../../domain/decisions/evaluation-store.ts';
import { HOUR, MINUTE } from '../../../domain/time.ts';
import { createMetrics } from '../../../infrastructure/metrics/metrics.ts';

const NOON = new Date('2026-03-02T12:00:00.000Z');
const after = (millis: number) => new Date(NOON.getTime() + millis);

const claimed = (record_id: string, settles_at: Date, submission_time: Date) =>
  ({ token: `token of ${record_id}`, decision: { record_id, settles_at, submission_time } }) as ClaimedDecision;

const ended = (record_id: string, result: object, retry_at: Date | null = null) =>
  ({ record_id, token: `token of ${record_id}`, result, retry_at }) as EvaluationEnd;

/** A store that hands out the given evaluations; another process has taken over the evaluation of `lost`. */
function store(all: readonly ClaimedDecision[]): EvaluationStore {
  return {
    ...openMemory().evaluations,
    claimDue: async () => all,
    endEvaluations: async (ends) => ends.map(({ record_id }) => record_id).filter((id) => id !== 'lost'),
  };
}

test('ends by result and reason, and how late grades come', async () => {
  const metrics = createMetrics(openMemory());
  const evaluations = metrics.countedEvaluations(
    store([
      claimed('timely', NOON, after(-HOUR)),
      claimed('looking back', after(-1_000 * HOUR), NOON),
      claimed('lost', NOON, NOON),
      claimed('open', NOON, NOON),
      claimed('hopeless', NOON, NOON),
    ]),
  );
  await evaluations.claimDue(NOON, after(MINUTE), 10);
  const recorded = await evaluations.endEvaluations(
    [
      ended('timely', { kind: 'evaluated' }),
      ended('looking back', { kind: 'evaluated' }),
      ended('lost', { kind: 'evaluated' }),
      ended('open', { kind: 'deferred', reason: 'no_path' }, after(HOUR)),
      ended('hopeless', { kind: 'deferred', reason: 'halted' }),
    ],
    after(10_000),
  );
  expect(recorded).toEqual(['timely', 'looking back', 'open', 'hopeless']);
  const text = await metrics.text();
  expect(text).toContain('stancebook_evaluations_total{result="evaluated",reason=""} 2');
  expect(text).toContain('stancebook_evaluations_total{result="deferred",reason="no_path"} 1');
  expect(text).toContain('stancebook_evaluations_total{result="data_unavailable",reason="halted"} 1');
  expect(text).toContain('stancebook_evaluation_wait_seconds_count 2');
  expect(text).toContain('stancebook_evaluation_wait_seconds_sum 20');
});
