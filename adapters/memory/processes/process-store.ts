import { MINUTES, RECORD_FAULTS, SOURCE_REPORTS } from '../../../domain/limits.ts';
import { joinedMinute, type ServiceMinute } from '../../../domain/service-minutes.ts';
import {
  type FaultyRecord,
  type JobRuns,
  joinedRuns,
  type ProcessStore,
  type ReportedState,
} from '../../../domain/service-processes.ts';
import { rfc3339 } from '../../../domain/time.ts';
import type { Table } from '../kit/table.ts';

export interface ProcessTables {
  readonly serviceProcesses: Table<string, ReportedState>;
  readonly jobRuns: Table<string, JobRuns>;
  readonly faultyRecords: Table<string, NotedFault>;
  /** By the time, as RFC 3339. */
  readonly serviceMinutes: Table<string, ServiceMinute>;
}

interface NotedFault extends FaultyRecord {
  readonly noted_at: Date;
}

export function memoryProcesses({
  serviceProcesses,
  jobRuns,
  faultyRecords,
  serviceMinutes,
}: ProcessTables): ProcessStore {
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
    async addMinute(at, part) {
      const key = rfc3339(at);
      const before = serviceMinutes.get(key);
      serviceMinutes.deleteWhere((minute) => minute.at.getTime() < at.getTime() - MINUTES.kept);
      serviceMinutes.set(key, before ? joinedMinute(before, part) : { ...part, at, processes: 1 });
    },
    minutes: async (since) =>
      serviceMinutes.where(({ at }) => at >= since).toSorted((a, b) => a.at.getTime() - b.at.getTime()),
    async noteFaulty(found, now) {
      for (const { record_id, parts } of found) {
        const before = faultyRecords.get(record_id);
        const all = [...new Set([...(before?.parts ?? []), ...parts])].toSorted();
        const noted_at = before && before.noted_at > now ? before.noted_at : now;
        faultyRecords.set(record_id, { record_id, parts: all, noted_at });
      }
      const old = faultyRecords
        .where(() => true)
        .toSorted(lastFirst)
        .slice(RECORD_FAULTS.remembered);
      for (const { record_id } of old) faultyRecords.delete(record_id);
    },
    async faulty(named) {
      const known = faultyRecords.where(() => true).toSorted(lastFirst);
      return {
        total: known.length,
        newest: known.slice(0, named).map(({ record_id, parts }) => ({ record_id, parts })),
      };
    },
    async faultyBefore(before, limit) {
      const due = faultyRecords.where(({ noted_at }) => noted_at < before).toSorted(lastFirst);
      return due
        .toReversed()
        .slice(0, limit)
        .map(({ record_id }) => record_id);
    },
    async forgetFaulty(record_ids, before) {
      faultyRecords.deleteWhere(({ record_id, noted_at }) => record_ids.includes(record_id) && noted_at < before);
    },
  };
}

function lastFirst(a: NotedFault, b: NotedFault): number {
  return b.noted_at.getTime() - a.noted_at.getTime() || (a.record_id > b.record_id ? -1 : 1);
}

function youngestFirst(a: ReportedState, b: ReportedState): number {
  return b.started_at.getTime() - a.started_at.getTime() || (a.process < b.process ? -1 : 1);
}
