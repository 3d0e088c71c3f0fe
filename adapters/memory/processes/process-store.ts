import { SOURCE_REPORTS } from '../../../domain/limits.ts';
import { type JobRuns, joinedRuns, type ProcessStore, type ReportedState } from '../../../domain/service-processes.ts';
import type { Table } from '../kit/table.ts';

export interface ProcessTables {
  readonly serviceProcesses: Table<string, ReportedState>;
  readonly jobRuns: Table<string, JobRuns>;
}

export function memoryProcesses({ serviceProcesses, jobRuns }: ProcessTables): ProcessStore {
  const addRuns = (runs: readonly JobRuns[]) => {
    for (const added of runs) {
      const before = jobRuns.get(added.job);
      jobRuns.set(added.job, before ? joinedRuns(before, added) : { ...added });
    }
  };
  return {
    async report(state, runs, now) {
      const old = now.getTime() - SOURCE_REPORTS.keep;
      serviceProcesses.deleteWhere(({ reported_at }) => reported_at.getTime() < old);
      serviceProcesses.set(state.process, { ...state, reported_at: now });
      addRuns(runs);
    },
    async end(process, runs) {
      serviceProcesses.delete(process);
      addRuns(runs);
    },
    all: async () => serviceProcesses.where(() => true).toSorted(youngestFirst),
    runs: async () => jobRuns.where(() => true).toSorted((a, b) => (a.job < b.job ? -1 : 1)),
  };
}

function youngestFirst(a: ReportedState, b: ReportedState): number {
  return b.started_at.getTime() - a.started_at.getTime() || (a.process < b.process ? -1 : 1);
}
