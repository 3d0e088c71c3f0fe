import { join } from 'node:path';
import { rolePasswords, SUPERUSER, urlOf } from '../../../infrastructure/embedded-postgres/roles.ts';
import { onClient } from '../stage/client.ts';
import type { ThrowawayDatabase } from '../stage/throwaway-database.ts';

/** Megabytes: more than a part of the bench writes, and as much as the server keeps at most (`max_wal_size`). */
const SIZE = 2_048;
const MESSAGE = 4;

/**
 * Gives the server the files of its log that one has after hours of work. On a cluster that is new each 16 MB of log begin
 * with a file that has to be made, and all commits wait for that: 50 to 80 ms, at full load of submits once a second.
 */
export async function layOutLog({ folder, database }: Pick<ThrowawayDatabase, 'folder' | 'database'>): Promise<void> {
  const { superuser } = rolePasswords(join(folder, 'data'));
  const connectionString = urlOf(SUPERUSER, superuser, Number(new URL(database.url).port));
  await onClient(connectionString, async (client) => {
    await client.query(`alter system set min_wal_size = '${SIZE}MB'`);
    await client.query('select pg_reload_conf()');
    for (let written = 0; written < SIZE; written += MESSAGE) {
      await client.query("select pg_logical_emit_message(false, 'bench', repeat('.', $1))", [MESSAGE * 1_048_576]);
    }
    // What the first frees, the second takes up again.
    await client.query('checkpoint');
    await client.query('checkpoint');
  });
}
