import { SOURCE_REPORTS } from '../../../domain/limits.ts';
import type { ProcessReport, SourceHealthStore } from '../../../domain/market/source-health.ts';
import type { Table } from '../kit/table.ts';

export interface SourceHealthTables {
  /** By process and source. */
  readonly sourceReports: Table<string, ProcessReport>;
}

export function memorySourceHealth({ sourceReports }: SourceHealthTables): SourceHealthStore {
  return {
    async record(process, reports, now) {
      const old = now.getTime() - SOURCE_REPORTS.keep;
      sourceReports.deleteWhere((report) => report.process === process || report.reported_at.getTime() < old);
      for (const report of reports)
        sourceReports.set(keyOf(report.source, process), { ...report, process, reported_at: now });
    },
    reportsSince: async (since) =>
      sourceReports
        .where(({ reported_at }) => reported_at >= since)
        .toSorted((a, b) => (keyOf(a.source, a.process) < keyOf(b.source, b.process) ? -1 : 1)),
  };
}

function keyOf(source: string, process: string): string {
  return `${source} ${process}`;
}
