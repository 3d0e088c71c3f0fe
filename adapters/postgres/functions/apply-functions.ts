import pg from 'pg';
import type { DatabaseFunctions } from './function-files.ts';

/** `newer`: the database has those of a later release, which stay. */
export type FunctionsState = 'applied' | 'current' | 'newer';

/**
 * Replaces the functions, triggers and views of the database by those of this release, in one transaction, where their
 * hash differs and the database's edition is not higher. The migrations have run, and the caller holds their lock.
 * @param serviceRole may call every function and read every view
 */
export async function applyFunctions(
  client: pg.ClientBase,
  { sql, hash, edition }: DatabaseFunctions,
  serviceRole: string,
): Promise<FunctionsState> {
  const { rows } = await client.query<Applied>('select edition, hash from app.applied_functions');
  const [applied] = rows;
  if (applied?.hash === hash) return 'current';
  if (applied && applied.edition > edition) return 'newer';
  await client.query('begin');
  try {
    await client.query(`${sql}; ${grantsTo(serviceRole)}`);
    await client.query(NOTE, [edition, hash]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
  return 'applied';
}

interface Applied {
  readonly edition: number;
  readonly hash: string;
}

function grantsTo(serviceRole: string): string {
  const role = pg.escapeIdentifier(serviceRole);
  return `grant execute on all functions in schema app to ${role};
    do $$ declare view regclass;
    begin
      for view in select oid from pg_class where relnamespace = 'app'::regnamespace and relkind = 'v' loop
        execute format('grant select on %s to %I', view, ${pg.escapeLiteral(serviceRole)});
      end loop;
    end $$`;
}

const NOTE = `
  insert into app.applied_functions as a (edition, hash, applied_at) values ($1, $2, app.now())
  on conflict (only_one) do update
  set edition = excluded.edition, hash = excluded.hash, applied_at = excluded.applied_at`;
