import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import {
  type DatabaseFunctions,
  FUNCTIONS,
  functionsIn,
} from '../../../../adapters/postgres/functions/apply-functions.ts';
import { migrate, type SchemaRelease } from '../../../../adapters/postgres/migrations/migrate.ts';
import { MIGRATIONS } from '../../../../adapters/postgres/migrations/migration-files.ts';
import { openPostgres, type PostgresStorage } from '../../../../adapters/postgres/storage.ts';
import { type AgentCaller, aDraft, anAgent, aSubmission } from '../../../builders/decisions.ts';
import { NO_JOBS } from '../../../contracts/decisions/adapters.ts';
import { freshDatabase, roleOf, type TestDatabase } from '../../../harness/database.ts';

const FOLDER = join(import.meta.dirname, '../../../../adapters/postgres/functions');

let database: TestDatabase;
let owner: pg.Client;
let copies: string;
beforeAll(async () => {
  database = await freshDatabase();
  owner = new pg.Client(database.url);
  await owner.connect();
  copies = mkdtempSync(join(tmpdir(), 'stancebook-functions-'));
});
afterAll(async () => {
  await owner.end();
  await database.drop();
  rmSync(copies, { recursive: true });
});

/** What a node does at its start. */
const start = async (functions: DatabaseFunctions, migrations: SchemaRelease['migrations'] = MIGRATIONS) =>
  (
    await migrate({
      url: database.url,
      serviceRole: roleOf(database.serviceUrl),
      release: { migrations, functions },
    })
  ).functions;

const withComment = (text: string, edition: number): DatabaseFunctions => ({
  sql: `${FUNCTIONS.sql}\ncomment on function app.now() is '${text}';`,
  hash: text,
  edition,
});

async function commentOfNow(): Promise<string> {
  const { rows } = await owner.query(`select obj_description('app.now()'::regprocedure) as comment`);
  return rows[0].comment;
}

describe('the functions of the database', () => {
  test('are those of the release on a fresh database, and a second start finds nothing to do', async () => {
    const { rows } = await owner.query('select edition, hash from app.applied_functions');
    expect(rows).toEqual([{ edition: FUNCTIONS.edition, hash: FUNCTIONS.hash }]);
    expect(await start(FUNCTIONS)).toBe('current');
  });

  test('are replaced once though three nodes of a new release start at once', async () => {
    const newer = withComment('later', FUNCTIONS.edition);
    const states = await Promise.all([start(newer), start(newer), start(newer)]);
    expect(states.toSorted()).toEqual(['applied', 'current', 'current']);
    expect(await commentOfNow()).toBe('later');
  });

  test('stay as they were where a statement fails', async () => {
    const broken = { ...withComment('broken', FUNCTIONS.edition), sql: `${FUNCTIONS.sql}; select 1 / 0;` };
    await expect(start(broken)).rejects.toThrow('division by zero');
    expect(await commentOfNow()).toBe('later');
    expect(await start(withComment('later', FUNCTIONS.edition))).toBe('current');
  });

  test('can be called by the service, and views read, also those that are new', async () => {
    const sql = `create or replace function app.one() returns int language sql return 1;
      revoke execute on function app.one() from public;
      create or replace view app.ones as select app.one() as one;`;
    await start({ sql, hash: 'new objects', edition: FUNCTIONS.edition });
    const service = new pg.Client(database.serviceUrl);
    await service.connect();
    const { rows } = await service.query('select app.one(), one as seen from app.ones');
    await service.end();
    expect(rows).toEqual([{ one: 1, seen: 1 }]);
    await start(FUNCTIONS);
  });
});

describe('two releases side by side', () => {
  const newer = withComment('newer', FUNCTIONS.edition + 1);

  test('an older node leaves the functions of a newer release as they are', async () => {
    expect(await start(newer)).toBe('applied');
    expect(await start(FUNCTIONS)).toBe('newer');
    expect(await commentOfNow()).toBe('newer');
    expect(await start(newer)).toBe('current');
  });

  test('an older node that does not know a migration leaves them, too, whatever its edition', async () => {
    const ahead = withComment('ahead', FUNCTIONS.edition + 9);
    expect(await start(ahead, MIGRATIONS.slice(0, -1))).toBe('newer');
    expect(await commentOfNow()).toBe('newer');
  });
});

describe('the cooldown rule is edited in one file', () => {
  let storage: PostgresStorage;
  let agent: AgentCaller;
  beforeAll(async () => {
    await owner.query('delete from app.applied_functions');
    await start(FUNCTIONS);
    storage = await openPostgres({ url: database.serviceUrl, poolSize: 2, openJobs: async () => NO_JOBS });
    agent = await anAgent(storage);
  });
  afterAll(() => storage.close());

  async function submitted(): Promise<string> {
    const now = await storage.clock.now();
    return (await storage.intake.submit(aDraft(agent, now, aSubmission(now)))).verdict;
  }

  test('and takes effect on the database that is there, by a restart', async () => {
    expect([await submitted(), await submitted()]).toEqual(['accepted', 'cooldown']);
    cpSync(FOLDER, copies, { recursive: true });
    const file = join(copies, 'submit.sql');
    const [rule, edited] = ['c.last_at <= excluded.last_at - m.cooldown_seconds', 'c.last_at <= excluded.last_at - 0'];
    const text = readFileSync(file, 'utf8');
    expect(text.split(rule)).toHaveLength(2);
    writeFileSync(file, text.replace(rule, edited));
    expect(await start(functionsIn(copies))).toBe('applied');
    expect([await submitted(), await submitted()]).toEqual(['accepted', 'accepted']);
  });
});
