import { SOURCE_REPORTS } from '../../domain/limits.ts';
import type { ReportedState } from '../../domain/service-processes.ts';

/**
 * `reporting`: its last report is at most a minute old. `silent`: it is older, and the process has not ended in order: it was
 * killed, is stopped, or does not reach the database. `replaced`: a process that does the same began after that.
 */
export const PROCESS_STATES = ['reporting', 'silent', 'replaced'] as const;

export interface ProcessStatus extends ReportedState {
  readonly state: (typeof PROCESS_STATES)[number];
}

/** The processes that have not ended in order, the youngest first. */
export function processStatus(all: readonly ReportedState[], now: Date): readonly ProcessStatus[] {
  return all.map((each) => {
    if (now.getTime() - each.reported_at.getTime() <= SOURCE_REPORTS.fresh) return { ...each, state: 'reporting' };
    const replaces = (other: ReportedState) =>
      other.started_at > each.reported_at &&
      other.runs_jobs === each.runs_jobs &&
      other.answers_requests === each.answers_requests;
    return { ...each, state: all.some(replaces) ? 'replaced' : 'silent' };
  });
}
