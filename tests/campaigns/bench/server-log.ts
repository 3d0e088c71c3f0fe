import { join } from 'node:path';
import { rolePasswords, SUPERUSER, urlOf } from '../../../infrastructure/embedded-postgres/roles.ts';
import { onClient } from '../stage/client.ts';
import type { ThrowawayDatabase } from '../stage/throwaway-database.ts';

/** The URL of a database of the cluster, as its superuser. */
export function superuserUrl(
  { folder, database }: Pick<ThrowawayDatabase, 'folder' | 'database'>,
  url: string = database.url,
): string {
  const { superuser } = rolePasswords(join(folder, 'data'));
  const { port, pathname } = new URL(url);
  const named = new URL(urlOf(SUPERUSER, superuser, Number(port)));
  return Object.assign(named, { pathname }).href;
}

/** Megabytes: more than a part of the bench writes, and all that the server keeps (`max_wal_size`). */
const SIZE = 2_048;
const MESSAGE = 4;

/**
 * Creates the WAL files that a server has after hours of work. On a new cluster every 16 MB of WAL need a new file, and all
 * commits wait for it: 50 to 80 ms, once a second at full load of submits.
 */
export async function layOutLog({ folder, database }: Pick<ThrowawayDatabase, 'folder' | 'database'>): Promise<void> {
  await onClient(superuserUrl({ folder, database }), async (client) => {
    await client.query(`alter system set min_wal_size = '${SIZE}MB'`);
    await client.query('select pg_reload_conf()');
    for (let written = 0; written < SIZE; written += MESSAGE) {
      await client.query("select pg_logical_emit_message(false, 'bench', repeat('.', $1))", [MESSAGE * 1_048_576]);
    }
    // The second checkpoint recycles what the first one frees.
    await client.query('checkpoint');
    await client.query('checkpoint');
  });
}
