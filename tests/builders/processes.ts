import type { JobRuns, ProcessState } from '../../domain/service-processes.ts';

/** A process that runs jobs and answers requests, since noon. */
export function aProcess(changes: Partial<ProcessState> = {}): ProcessState {
  return {
    process: 'a:1',
    release: '0.0.1',
    answers_requests: true,
    runs_jobs: true,
    started_at: new Date('2026-03-02T12:00:00.000Z'),
    connections: { in_use: 1, idle: 2, waiting: 0 },
    signing: null,
    disk: null,
    running: [],
    faulty_records: null,
    ...changes,
  };
}

/** Runs of evaluate-due: nothing is known of them but what is given. */
export function someRuns(changes: Partial<JobRuns> = {}): JobRuns {
  const nothing = {
    last_started_at: null,
    last_succeeded_at: null,
    last_failed_at: null,
    last_error: null,
    failures: 0,
  };
  return { job: 'evaluate-due', ...nothing, ...changes };
}
