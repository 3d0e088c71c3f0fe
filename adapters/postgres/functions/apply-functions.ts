import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { sha256Hex } from '../../../application/sha256.ts';

/** The functions of this release. */
export const FUNCTIONS = functionsIn(import.meta.dirname);

/** `newer`: the database has those of a later release, which stay. */
export type FunctionsState = 'applied' | 'current' | 'newer';

/**
 * Replaces the functions, triggers and views of the database by those of this release, in one transaction, where their
 * hash differs and the database's edition is not higher. The migrations have run, and the caller holds their lock.
 * @param serviceRole may read every view and call every function that is no trigger's; nobody else but the owner may
 */
export async function applyFunctions(
  client: pg.ClientBase,
  { sql, hash, edition }: DatabaseFunctions,
  serviceRole: string,
): Promise<FunctionsState> {
  const applied = await appliedTo(client);
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

/** Whether the database has exactly these; needs nothing but a connection of the service. */
export async function hasFunctions(client: pg.ClientBase, { hash }: DatabaseFunctions): Promise<boolean> {
  return (await appliedTo(client))?.hash === hash;
}

/** Whether the database has none, or those of an earlier release; needs nothing but a connection of the service. */
export async function hasOlderFunctions(client: pg.ClientBase, { edition }: DatabaseFunctions): Promise<boolean> {
  return ((await appliedTo(client))?.edition ?? 0) < edition;
}

async function appliedTo(client: pg.ClientBase): Promise<Applied | undefined> {
  const { rows } = await client.query<Applied>('select edition, hash from app.applied_functions');
  return rows[0];
}

interface Applied {
  readonly edition: number;
  readonly hash: string;
}

/** A trigger needs no right to its function. Where the role owns the schema, it keeps the rights of an owner. */
function grantsTo(serviceRole: string): string {
  const role = pg.escapeLiteral(serviceRole);
  return `revoke execute on all routines in schema app from public;
    do $$ declare statement text;
    begin
      for statement in
        select format(case when prorettype = 'trigger'::regtype then 'revoke execute on function %s from %I'
          else 'grant execute on function %s to %I' end, oid::regprocedure, ${role})
        from pg_proc where pronamespace = 'app'::regnamespace and prokind <> 'p'
          and proowner <> (select oid from pg_roles where rolname = ${role})
        union all
        select format('grant select on %s to %I', oid::regclass, ${role})
        from pg_class where relnamespace = 'app'::regnamespace and relkind = 'v'
      loop
        execute statement;
      end loop;
    end $$`;
}

/** No record of a new database is older than the triggers that count it. */
const NOTE = `
  insert into app.applied_functions as a (edition, hash, applied_at, cells_filled_at)
  values ($1, $2, app.now(), app.now())
  on conflict (only_one) do update
  set edition = excluded.edition, hash = excluded.hash, applied_at = excluded.applied_at`;

/** The current definition of every function, trigger and view: one file per idea, changed by editing. */
export interface DatabaseFunctions {
  /** Statements that may run again and again: `create or replace` throughout. */
  readonly sql: string;
  /** SHA-256 of the files, in hex. */
  readonly hash: string;
  /** From 1; a later release has a higher one, unless its functions are the same. */
  readonly edition: number;
}

/** The functions of a folder; the files run in the order of their names. `edition.txt` has the edition. */
export function functionsIn(folder: string): DatabaseFunctions {
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql'));
  const sql = files
    .toSorted()
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join('\n');
  const [edition] = readFileSync(join(folder, 'edition.txt'), 'utf8').split(' ');
  return { sql, hash: sha256Hex(sql), edition: Number(edition) };
}
