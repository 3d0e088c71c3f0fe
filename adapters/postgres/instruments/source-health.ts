import { LessThan } from 'typeorm';
import { SOURCE_REPORTS } from '../../../domain/limits.ts';
import type { ProcessReport, SourceHealthStore } from '../../../domain/market/source-health.ts';
import { SOURCE_HEALTH } from '../entities/source-health.ts';
import type { Sql } from '../kit/sql.ts';

export function postgresSourceHealth(sql: Sql): SourceHealthStore {
  return {
    record: (process, reports, now) =>
      sql.atomically(async (own) => {
        const expired = new Date(now.getTime() - SOURCE_REPORTS.keep);
        await own.tables.delete(SOURCE_HEALTH, [{ process }, { reported_at: LessThan(expired) }]);
        const rows = reports.map((report) => ({ ...report, process, reported_at: now }));
        await own.tables.createQueryBuilder().insert().into(SOURCE_HEALTH).values(rows).orUpdate([], KEY).execute();
      }),
    reportsSince: (since): Promise<ProcessReport[]> =>
      sql.tables
        .createQueryBuilder(SOURCE_HEALTH, 'h')
        .where('h.reported_at >= :since', { since })
        .orderBy({ 'h.source collate "C"': 'ASC', 'h.process collate "C"': 'ASC' })
        .getMany(),
  };
}

/** A source that is named twice keeps its first report. */
const KEY = ['process', 'source'];
