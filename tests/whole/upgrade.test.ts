import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Express } from 'express';
import pg from 'pg';
import request from 'supertest';
import { migrateJobs } from '../../adapters/jobs/migrate-jobs.ts';
import { migrate } from '../../adapters/postgres/migrations/migrate.ts';
import { openPostgres, type PostgresStorage } from '../../adapters/postgres/storage.ts';
import { removeDueAccount } from '../../application/accounts/erasure/erase-owner.ts';
import { quarantineDecision, releaseDecision } from '../../application/decisions/moderate-decision.ts';
import type { Ports } from '../../application/ports.ts';
import { acceptedReply, type Receipt } from '../../domain/decisions/submission/receipt.ts';
import type { HadSaidCounts } from '../../domain/grading/had-said.ts';
import { leafAudit } from '../../domain/log/leaves/leaf-audit.ts';
import { runCommand } from '../../infrastructure/commands/run-command.ts';
import { composePorts } from '../../infrastructure/compose/compose-ports.ts';
import { composeSweeps } from '../../infrastructure/compose/compose-sweeps.ts';
import { readConfig } from '../../infrastructure/config/config.ts';
import { createLogger } from '../../infrastructure/logging/logger.ts';
import { NO_JOBS } from '../contracts/decisions/adapters.ts';
import { execute, freshDatabase, roleOf, type TestDatabase } from '../harness/database.ts';
import { query } from '../harness/embedded-instance.ts';
import { keptLog, sequence } from '../harness/kept-logs.ts';
import { appOver, OUT_OF_THE_WAY } from '../harness/service.ts';

/** Databases of releases and their replies, created by tests/campaigns/restore-drill/make-release-fixture.ts. */
const FIXTURES = join(import.meta.dirname, '../fixtures/releases');
const releases = readdirSync(FIXTURES).flatMap((file) => /^(.*)\.sql\.gz$/.exec(file)?.[1] ?? []);

interface Fixture {
  readonly population: {
    readonly agents: readonly {
      readonly email: string;
      readonly api_key: string;
      readonly records: readonly string[];
    }[];
  };
  /** `CALLER PATH` and `STATUS BODY`. */
  readonly answers: readonly (readonly [string, string])[];
}

const AFTER_RESTORE = join(import.meta.dirname, '../../adapters/postgres/after-restore.sql');

const LEFT_OF = 'select count(*) from app.decision_documents join app.decisions using (record_id)';

const unpacked = (file: string) => gunzipSync(readFileSync(join(FIXTURES, file))).toString();

test('there is a dump of an earlier release', () => {
  expect(releases.length).toBeGreaterThan(0);
});

describe.each(releases)('a database of release %s', (release) => {
  const { population, answers } = JSON.parse(unpacked(`${release}.json.gz`)) as Fixture;
  let database: TestDatabase;
  let storage: PostgresStorage;
  let ports: Ports;
  let app: Express;
  let dataDir: string;
  beforeAll(async () => {
    database = await freshDatabase({ empty: true });
    await execute(database.url, unpacked(`${release}.sql.gz`));
    const serviceRole = roleOf(database.serviceUrl);
    await migrate({ url: database.url, serviceRole });
    await migrateJobs({ ownerUrl: database.url, serviceRole });
    // It is in another cluster now.
    await execute(database.url, readFileSync(AFTER_RESTORE, 'utf8'));
    dataDir = mkdtempSync(join(tmpdir(), 'stancebook-upgrade-'));
    storage = await openPostgres({ url: database.serviceUrl, poolSize: 3, openJobs: async () => NO_JOBS });
    const config = readConfig({ DATA_DIR: dataDir, MARKET_DATA_NETWORK: 'false', ...OUT_OF_THE_WAY });
    const log = createLogger({ level: 'silent', format: 'json' });
    ports = await composePorts(storage, config, log);
    app = appOver(ports, config, log);
  });
  afterAll(async () => {
    await storage.close();
    await database.drop();
    rmSync(dataDir, { recursive: true });
  });

  test('reads the same through HTTP', async () => {
    expect(answers.length).toBeGreaterThan(40);
    for (const [requestLine, answer] of answers) {
      const [, who = '', path = ''] = /^(.*) (\S+)$/.exec(requestLine) ?? [];
      const { status, text } = await request(app).get(path).set(keyFor(who, path));
      expect([requestLine, timeless(`${status} ${text}`)]).toEqual([requestLine, timeless(answer)]);
    }
  });

  test('counts what each direction would have got, before a sweep and after it', async () => {
    const path = '/api/v1/agent/wisdom?market=stock&include_retroactive=true';
    for (const fold of [async () => undefined, composeSweeps(ports)['fold-cohorts']]) {
      await fold();
      const { body } = await request(app)
        .get(path)
        .set({ 'X-API-Key': population.agents[0]?.api_key ?? '' });
      const { sample_count, had_said } = body.overview;
      for (const counts of Object.values(had_said as HadSaidCounts)) {
        expect(Object.values(counts).reduce((sum, n) => sum + n, 0)).toBe(sample_count);
      }
    }
    expect(await storage.cohortCells.check()).toEqual([]);
  });

  test('gets a new atlas from the first sweep', async () => {
    await composeSweeps(ports)['build-atlas']();
    for (const path of ['network', 'seeds']) {
      for (const include_retroactive of ['false', 'true']) {
        const { status } = await request(app).get(`/api/v1/public/atlas/${path}`).query({ include_retroactive });
        expect(status).toBe(200);
      }
    }
  });

  test('enters the evidence log as imported, and goes on by the rules of leaves', async () => {
    const records = population.agents.flatMap((agent) => agent.records);
    const [quarantined = '', released = ''] = records;
    for (const id of [quarantined, released]) await quarantineDecision(ports, id, 'made up', 'a test');
    const run = async () => {
      while ((await sequence(storage)) > 0);
    };
    await run();
    await releaseDecision(ports, released, 'a test');
    await execute(database.url, "update app.log_pending set ready_at = app.now() - interval '5 minutes'");
    await run();
    const { bytes, leaves } = await keptLog(storage);
    const audit = leafAudit();
    expect(bytes.flatMap((each) => audit.next(each) ?? [])).toEqual([]);
    const { length } = records;
    expect(audit.counts()).toMatchObject({ decisions: 0, imported: length, graded: length - 1, closed: 1 });
    expect(leaves.filter(({ t }) => t === 'reopened')).toHaveLength(1);
    const key = keyFor('its agent', quarantined);
    const { status, text } = await request(app).get(`/api/v1/agent/decisions/${quarantined}/receipt`).set(key);
    expect([status, text]).toEqual([200, expect.stringContaining('c2sp.org/tlog-proof@v1')]);
  });

  test('promised no receipts, so that its replies are replayed without one', async () => {
    const sql = 'select receipt from app.decision_documents';
    const rows = await query(database.url, sql);
    expect(rows.length).toBeGreaterThan(0);
    for (const { receipt } of rows) expect(acceptedReply(receipt as Receipt).receipt).toBeNull();
  });

  test('still has the evidence that was sealed by that release', () => checkEvidence(['recompute', '--all']));

  test('erases an owner whose records it had before, although the job is killed in a step', async () => {
    const email = population.agents[0]?.email ?? '';
    const [{ owner_id = '' } = {}] = await query(
      database.url,
      `select owner_id from app.owners where email = '${email}'`,
    );
    const left = async () =>
      Number((await query(database.url, `${LEFT_OF} where owner_id = '${owner_id}' and salt is not null`))[0]?.count);
    const before = await left();
    expect(before).toBeGreaterThan(2);
    await execute(database.url, `update app.owners set erases_at = app.now() where owner_id = '${owner_id}'`);
    expect(await removeDueAccount(ports, String(owner_id))).toBe(true);
    const step = `select * from app.erase_records('${owner_id}', 1)`;
    await query(database.serviceUrl, step);
    const killed = new pg.Client({ connectionString: database.serviceUrl });
    killed.on('error', () => undefined);
    await killed.connect();
    await killed.query('begin');
    await killed.query(step);
    await killed.query('select pg_terminate_backend(pg_backend_pid())').catch(() => undefined);
    expect(await left()).toBe(before - 1);
    await composeSweeps(ports)['erase-owners']();
    expect(await left()).toBe(0);
    await checkEvidence();
  });

  async function checkEvidence(...more: readonly string[][]): Promise<void> {
    const secret = 'a secret of the tests, long enough for them';
    const env = {
      DATABASE_URL: database.serviceUrl,
      SESSION_SECRET: secret,
      PASSWORD_PEPPER: secret,
      DATA_DIR: dataDir,
    };
    for (const command of [['check-evidence'], ...more]) {
      const lines: string[] = [];
      const say = (line: string) => void lines.push(line);
      expect([await runCommand(command, env, { print: say, complain: say }), lines]).toEqual([0, lines]);
    }
  }

  function keyFor(who: string, path: string): Record<string, string> {
    const { agents } = population;
    const agent = agents.find(({ email, records }) => email === who || records.some((id) => path.includes(id)));
    return who === 'anybody' || !agent ? {} : { 'X-API-Key': agent.api_key };
  }
});

/** Without cursors, which contain the time of their page, questions that were counted, and the member that owners get since. */
function timeless(text: string): string {
  return text
    .replace(/,"sources_after_cutoff":null(?=\},"evaluation")/, '')
    .replace(/(?<="agent_id":"agt_[0-9a-f]{12}"),"number":null/g, '')
    .replaceAll(/"(next_cursor|queries_asked)":("[^"]*"|null|\d+)/g, '"$1":…');
}
