import { describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { FUNCTIONS } from '../../../adapters/postgres/functions/function-files.ts';
import { migrate } from '../../../adapters/postgres/migrations/migrate.ts';
import { MIGRATIONS } from '../../../adapters/postgres/migrations/migration-files.ts';
import { describeSchema } from '../../../scripts/schema/describe-schema.ts';
import { type OpenedDatabase, onPostgres } from '../../contracts/decisions/adapters.ts';
import { benchOn } from '../../contracts/decisions/bench.ts';
import { evaluateAll } from '../../contracts/decisions/evaluated.ts';
import { execute, freshDatabase, roleOf, type TestDatabase } from '../../harness/database.ts';

/** Today's functions need the later ones. */
const BEFORE = MIGRATIONS.filter(({ name }) => !/^Evidence(Bounds|By)/.test(name));

const rolesOf = ({ url, serviceUrl }: Pick<TestDatabase, 'url' | 'serviceUrl'>) => ({
  ownerRole: roleOf(url),
  serviceRole: roleOf(serviceUrl),
});

describe('a database whose evidence has no partitions', () => {
  let opened: OpenedDatabase;
  const bench = benchOn({
    name: 'postgres',
    async open() {
      const database = await freshDatabase({ empty: true });
      const options = { url: database.url, serviceRole: roleOf(database.serviceUrl) };
      await migrate({ ...options, release: { migrations: BEFORE, functions: FUNCTIONS } });
      opened = await onPostgres(4, Promise.resolve(database));
      return opened;
    },
  });
  const upgrade = () => migrate({ url: opened.url, serviceRole: roleOf(opened.serviceUrl) });

  test('gets them while decisions are submitted, graded and read', async () => {
    const agent = await bench.agent();
    const ids: string[] = [];
    const use = async () => {
      ids.push((await bench.accepted(agent)).record_id);
      await evaluateAll(bench);
      const recent = ids.slice(-20);
      const read = await bench.storage().decisions.find(recent, agent.owner_id);
      expect(read).toHaveLength(recent.length);
    };
    await use();
    let isOver = false;
    const users = Array.from({ length: 3 }, async () => {
      while (!isOver) await use();
    });
    const { ran } = await upgrade().finally(() => {
      isOver = true;
    });
    await Promise.all(users);
    await use();
    expect(ran).toHaveLength(MIGRATIONS.length - BEFORE.length);
    const { rows } = await opened.owner.query<{ table: string; places: number; records: number }>(
      ['decision_documents', 'decision_outcomes', 'outcome_evidence']
        .map(
          (table) => `select '${table}' as table, count(distinct tableoid)::int as places, count(*)::int as records
          from app.${table}`,
        )
        .join(' union all '),
    );
    for (const row of rows) expect(row).toEqual({ table: row.table, places: 1, records: ids.length });
  });

  test('has then the objects of a fresh one, and its months', async () => {
    await execute(opened.url, 'drop table app.test_clock');
    await opened.owner.query('delete from app.applied_functions');
    await upgrade();
    const fresh = await freshDatabase();
    const client = new pg.Client(fresh.url);
    await client.connect();
    try {
      const freshSchema = await describeSchema(client, { ...rolesOf(fresh), bodies: true });
      expect(await describeSchema(opened.owner, { ...rolesOf(opened), bodies: true })).toBe(freshSchema);
    } finally {
      await client.end();
      await fresh.drop();
    }
    await bench.storage().months.addMissing();
    const { rows } = await opened.owner.query(
      `select pg_get_expr(relpartbound, oid) as bound from pg_class where relname like 'decision_documents_2%' order by 1`,
    );
    expect(rows.length).toBeGreaterThan(1);
  });
});

describe('while a long transaction reads one of the tables', () => {
  test('the upgrade waits for it, and no other statement waits for long', async () => {
    const database = await freshDatabase({ empty: true });
    const options = { url: database.url, serviceRole: roleOf(database.serviceUrl) };
    await migrate({ ...options, release: { migrations: BEFORE, functions: FUNCTIONS } });
    const reader = new pg.Client(database.serviceUrl);
    await reader.connect();
    try {
      await reader.query('begin; select from app.outcome_evidence');
      let isOver = false;
      const upgraded = migrate(options).finally(() => {
        isOver = true;
      });
      const waits: number[] = [];
      for (let n = 0; n < 20; n++) {
        const begin = performance.now();
        await execute(database.serviceUrl, 'select count(*) from app.decision_documents');
        waits.push(performance.now() - begin);
      }
      expect(isOver).toBe(false);
      expect(Math.max(...waits)).toBeLessThan(3_000);
      await reader.query('commit');
      await upgraded;
    } finally {
      await reader.end();
      await database.drop();
    }
  });
});
