import { LessThan } from 'typeorm';
import type { SourceHealthStore, ToldReport } from '../../../domain/market/source-health.ts';
import { DAY } from '../../../domain/time.ts';
import { SOURCE_HEALTH } from '../entities/source-health.ts';
import type { Sql } from '../kit/sql.ts';

export function postgresSourceHealth(sql: Sql): SourceHealthStore {
  return {
    tell: (process, reports, now) =>
      sql.atomically(async (own) => {
        const dayAgo = new Date(now.getTime() - DAY);
        await own.tables.delete(SOURCE_HEALTH, [{ process }, { told_at: LessThan(dayAgo) }]);
        const rows = reports.map((report) => ({ ...report, process, told_at: now }));
        await own.tables.createQueryBuilder().insert().into(SOURCE_HEALTH).values(rows).orUpdate([], KEY).execute();
      }),
    told: (since): Promise<ToldReport[]> =>
      sql.tables
        .createQueryBuilder(SOURCE_HEALTH, 'h')
        .where('h.told_at >= :since', { since })
        .orderBy({ 'h.source collate "C"': 'ASC', 'h.process collate "C"': 'ASC' })
        .getMany(),
  };
}

/** A source that is named twice keeps its first report. */
const KEY = ['process', 'source'];
