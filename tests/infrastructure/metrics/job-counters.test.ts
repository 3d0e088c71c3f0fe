import { expect, test } from '@jest/globals';
import { openMemory } from '../../../adapters/memory/storage.ts';
import { JOBS, type Job } from '../../../domain/jobs.ts';
import { createMetrics } from '../../../infrastructure/metrics/metrics.ts';

test('runs of jobs by result; what they say and throw passes through', async () => {
  const metrics = createMetrics(openMemory());
  const next = new Date();
  const failing = async () => {
    throw new Error('no');
  };
  const all = Object.fromEntries(JOBS.map((job) => [job, async () => ({ next })])) as Record<
    Job,
    () => Promise<object>
  >;
  const sweeps = metrics.countedSweeps({ ...all, 'observe-pegs': failing });
  expect(await sweeps['evaluate-due']()).toEqual({ next });
  await expect(sweeps['observe-pegs']()).rejects.toThrow('no');
  const text = await metrics.text();
  expect(text).toContain('stancebook_job_runs_total{queue="evaluate-due",result="done"} 1');
  expect(text).toContain('stancebook_job_runs_total{queue="observe-pegs",result="failed"} 1');
  expect(text).toContain('stancebook_job_duration_seconds_count{queue="evaluate-due"} 1');
  expect(text).toMatch(/stancebook_job_last_success_timestamp_seconds\{queue="evaluate-due"\} \d{10}/);
  expect(text).not.toContain('stancebook_job_last_success_timestamp_seconds{queue="observe-pegs"}');
});
