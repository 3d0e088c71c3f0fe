import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import pg from 'pg';
import { migrate } from '../../../../adapters/postgres/migrations/migrate.ts';
import { openPostgres } from '../../../../adapters/postgres/storage.ts';
import { aKeyOf, anOwner } from '../../../builders/accounts.ts';
import { NO_JOBS } from '../../../contracts/decisions/adapters.ts';
import { byKey, judged } from '../../../contracts/quotas/requests.ts';
import { execute, freshDatabase, roleOf } from '../../../harness/database.ts';

const RELEASE = join(import.meta.dirname, '../../../fixtures/releases/0.4.0.sql.gz');

test('the windows of a key of 0.4.0 stay as full as they were', async () => {
  const database = await freshDatabase({ empty: true });
  const client = new pg.Client(database.url);
  try {
    await execute(database.url, gunzipSync(readFileSync(RELEASE)).toString());
    await client.connect();
    const key = aKeyOf(anOwner());
    await client.query('insert into app.owners (owner_id, created_at) values ($1, now())', [key.owner_id]);
    await client.query(ADD_KEY, [key.key_prefix, key.key_hash, key.owner_id]);
    await client.query(`insert into app.rate_windows values ($1, '2100-01-01', 5, '2100-01-01', 5)`, [
      `key ${key.key_prefix}`,
    ]);
    await migrate({ url: database.url, serviceRole: roleOf(database.serviceUrl) });
    const storage = await openPostgres({ url: database.serviceUrl, poolSize: 1, openJobs: async () => NO_JOBS });
    const request = byKey(key, { callerLimits: { per_second: 6, per_minute: 6 } });
    expect((await judged(storage.admission, request)).verdict).toBe('admitted');
    expect((await judged(storage.admission, request)).verdict).toBe('rate');
    await storage.close();
  } finally {
    await client.end();
    await database.drop();
  }
});

const ADD_KEY = `
  insert into app.api_keys (key_prefix, key_hash, owner_id, permission_mode, created_at) values ($1, $2, $3, 'read_write', now())`;
