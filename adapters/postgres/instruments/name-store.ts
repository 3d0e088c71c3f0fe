import type { NameStore, StoredName } from '../../../domain/market/name-statement.ts';
import type { Sql } from '../kit/sql.ts';

/** SQL by hand: a lock, and rows whose other columns are generated from their line. */
export function postgresNames(sql: Sql): NameStore {
  return {
    async lock() {
      await sql.rows('select app.lock_names()');
      const [row] = await sql.rows<{ newest: number; learned_at: string | null; now: Date }>(
        'select coalesce(max(id), 0) as newest, max(learned_at) as learned_at, app.now() as now from app.names',
      );
      if (!row) throw new Error('A maximum returned no row.');
      return { ...row, learned_at: row.learned_at === null ? null : new Date(row.learned_at) };
    },
    async tryLock() {
      const [row] = await sql.rows<{ held: boolean }>('select app.try_lock_names() as held');
      return row?.held === true;
    },
    async add(names) {
      if (names.length === 0) return;
      await sql.rows('insert into app.names (id, line) select * from unnest($1::int[], $2::text[])', [
        names.map(({ id }) => id),
        names.map(({ line }) => line),
      ]);
    },
    after: (id) => sql.rows<StoredName>('select id, line from app.names where id > $1 order by id', [id]),
  };
}
