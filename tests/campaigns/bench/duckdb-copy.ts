import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseUrls } from '../../../infrastructure/embedded-postgres/embedded-postgres.ts';
import { duckRows, quoted } from '../../harness/duckdb.ts';
import { onClient } from '../stage/client.ts';
import type { ThrowawayDatabase } from '../stage/throwaway-database.ts';
import { cpuDuring } from './cpu.ts';
import { superuserUrl } from './server-log.ts';

/** Of all rows. */
export interface CopyCost {
  /** Microseconds of CPU of the process that writes the file, and of PostgreSQL. */
  readonly node: number;
  readonly postgres: number;
  /** The size of the file. */
  readonly bytes: number;
  readonly seconds: number;
}

/**
 * Copies all decisions of a database, with statements and outcomes as they are stored and without bars, to a Parquet file by
 * DuckDB, on one thread. Its extension for PostgreSQL is a download, so it reads what PostgreSQL copies to a file as CSV.
 */
export async function copyByDuckDb(throwaway: ThrowawayDatabase, { url }: DatabaseUrls): Promise<CopyCost> {
  // The server may run as another user.
  const shared = join(throwaway.folder, 'copied');
  mkdirSync(shared);
  chmodSync(shared, 0o777);
  const [csv, parquet] = [join(shared, 'rows.csv'), join(throwaway.folder, 'rows.parquet')] as const;
  // Loads the library.
  await duckRows('select 1');
  const begin = performance.now();
  const [, postgres] = await cpuDuring([throwaway.database.pid], () =>
    onClient(superuserUrl(throwaway, url), (client) =>
      client.query(`copy (${ROWS}) to ${quoted(csv)} (format csv, header)`),
    ),
  );
  const used = process.cpuUsage();
  await duckRows(`copy (select * from read_csv(${quoted(csv)})) to ${quoted(parquet)} (format parquet)`);
  const { user, system } = process.cpuUsage(used);
  const seconds = (performance.now() - begin) / 1_000;
  return { node: user + system, postgres, bytes: statSync(parquet).size, seconds };
}

const ROWS = `
  select d.*, doc.statement, doc.commitment, o.facts, o.owner_facts
  from app.decisions d join app.decision_documents doc using (record_id) left join app.decision_outcomes o using (record_id)`;
