import { beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { postgresMonths } from '../../../adapters/postgres/decisions/record-months.ts';
import { checkEvidenceOn } from '../../../infrastructure/commands/evidence.ts';
import { describeSchema } from '../../../scripts/schema/describe-schema.ts';
import { openStorage } from '../../campaigns/stage/storage.ts';
import { type OpenedDatabase, onPostgres } from '../../contracts/decisions/adapters.ts';
import { benchOn } from '../../contracts/decisions/bench.ts';
import { evaluateAll } from '../../contracts/decisions/evaluated.ts';
import { roleOf } from '../../harness/database.ts';

const TABLES = ['decision_documents', 'decision_outcomes', 'outcome_evidence'] as const;

let opened: OpenedDatabase;
const bench = benchOn({
  name: 'postgres',
  async open() {
    opened = await onPostgres(4);
    return opened;
  },
});

/** The month of the first partition: what a fresh database has is in it, and what is later is not. */
let first: Date;
beforeAll(async () => {
  const [name = ''] = (await partitionsOf('decision_documents')).sort();
  first = new Date(`${name.slice(-6, -2)}-${name.slice(-2)}-15T12:00:00.000Z`);
});

const inMonth = (ahead: number) => new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + ahead, 15, 12));
const nameIn = (ahead: number) => inMonth(ahead).toISOString().slice(0, 7).replace('-', '');
const addMissing = () => bench.storage().months.addMissing();

async function partitionsOf(table: string): Promise<string[]> {
  const { rows } = await opened.owner.query<{ name: string }>(
    `select relname as name from pg_inherits join pg_class on oid = inhrelid where inhparent = $1::regclass order by 1`,
    [`app.${table}`],
  );
  return rows.map(({ name }) => name);
}

/** The partitions that have the rows of a record, by table. */
async function placesOf(record_id: string): Promise<readonly string[]> {
  const parts = TABLES.map(
    (table) => `select tableoid::regclass::text as place from app.${table} where record_id = $1`,
  );
  const { rows } = await opened.owner.query<{ place: string }>(parts.join(' union all '), [record_id]);
  return rows.map(({ place }) => place.replace('app.', '')).sort();
}

async function evaluatedIn(ahead: number): Promise<string> {
  await bench.arrange().freeze(inMonth(ahead));
  const { record_id } = await bench.accepted(await bench.agent());
  await evaluateAll(bench);
  return record_id;
}

const schema = () =>
  describeSchema(opened.owner, {
    ownerRole: roleOf(opened.url),
    serviceRole: roleOf(opened.serviceUrl),
    bodies: true,
  });

describe('partitions by month', () => {
  test('are made for two months ahead, alike, and once', async () => {
    const before = await schema();
    await bench.arrange().freeze(inMonth(0));
    await addMissing();
    for (const table of TABLES) {
      const names = [0, 1, 2].map((ahead) => `${table}_${nameIn(ahead)}`);
      expect(await partitionsOf(table)).toEqual([...names, `${table}_default`]);
    }
    await addMissing();
    expect(await partitionsOf('decision_documents')).toHaveLength(4);
    expect(await schema()).toBe(before);
  });

  test('have the records that were received in the month, and those before the first', async () => {
    for (const [ahead, month] of [
      [-8, 0],
      [0, 0],
      [1, 1],
      [2, 2],
    ] as const) {
      const record_id = await evaluatedIn(ahead);
      expect(await placesOf(record_id)).toEqual(TABLES.map((table) => `${table}_${nameIn(month)}`));
      const [decision] = await bench.storage().decisions.find([record_id], null);
      expect(decision).toMatchObject({ record_id, result_bucket: expect.any(String), statement: expect.any(String) });
    }
  });

  test('are made by two workers at once without a fault', async () => {
    await bench.arrange().freeze(inMonth(3));
    await Promise.all([addMissing(), addMissing(), addMissing(), addMissing()]);
    while ((await partitionsOf('outcome_evidence')).length < 7) await addMissing();
    for (const table of TABLES)
      expect(await partitionsOf(table)).toEqual([
        ...[0, 1, 2, 3, 4, 5].map((ahead) => `${table}_${nameIn(ahead)}`),
        `${table}_default`,
      ]);
  });

  test('wait for no statement of others: the next call makes what this one left', async () => {
    await bench.arrange().freeze(inMonth(4));
    const reader = new pg.Client(opened.serviceUrl);
    await reader.connect();
    await reader.query('begin; select from app.decision_documents');
    const begin = performance.now();
    await addMissing();
    expect(performance.now() - begin).toBeLessThan(5_000);
    expect(await partitionsOf('decision_documents')).toHaveLength(7);
    await reader.end();
    await addMissing();
    expect(await partitionsOf('decision_documents')).toHaveLength(8);
  });

  test('a month that has none is stored and read all the same, then and later', async () => {
    const record_id = await evaluatedIn(12);
    const places = TABLES.map((table) => `${table}_default`);
    expect(await placesOf(record_id)).toEqual(places);
    await addMissing();
    const names = await partitionsOf('decision_documents');
    expect(names).not.toContain(`decision_documents_${nameIn(12)}`);
    expect(names).toContain(`decision_documents_${nameIn(14)}`);
    const later = await evaluatedIn(12);
    expect(await placesOf(later)).toEqual(places);
    expect(await bench.storage().decisions.find([record_id, later], null)).toHaveLength(2);
    expect(await placesOf(await evaluatedIn(13))).toEqual(TABLES.map((table) => `${table}_${nameIn(13)}`));
  });

  test('other faults than a lock are thrown', async () => {
    const broken = { rows: () => Promise.reject(new Error('no such function')) };
    await expect(postgresMonths(broken as never).addMissing()).rejects.toThrow('no such function');
  });
});

describe('a statement on a partition alone', () => {
  const COLUMNS = { decision_documents: 'statement', decision_outcomes: 'facts', outcome_evidence: 'document' };

  test.each(Object.entries(COLUMNS))('cannot change, remove or add a row of %s', async (table, column) => {
    const service = new pg.Client(opened.serviceUrl);
    await service.connect();
    try {
      for (const part of [0, 1, 12].map((ahead) => (ahead === 12 ? `${table}_default` : `${table}_${nameIn(ahead)}`))) {
        const { rows } = await opened.owner.query(`select record_id from app.${part}`);
        expect([part, rows.length > 0]).toEqual([part, true]);
        for (const sql of [
          `update app.${part} set ${column} = ${column}`,
          `delete from app.${part}`,
          `truncate app.${part}`,
          `insert into app.${part} (record_id) select record_id from app.${part}`,
        ]) {
          await expect(service.query(sql)).rejects.toMatchObject({ code: '42501' });
          if (!sql.startsWith('insert')) await expect(opened.owner.query(sql)).rejects.toMatchObject({ code: '42501' });
        }
      }
    } finally {
      await service.end();
    }
  });

  test('truncates no partition through its table', async () => {
    await expect(opened.owner.query('truncate app.decision_outcomes cascade')).rejects.toMatchObject({ code: '42501' });
  });

  test('is logged where it adds an outcome, also by the owner of the schema', async () => {
    await bench.arrange().freeze(inMonth(1));
    const { record_id } = await bench.accepted(await bench.agent());
    await opened.owner.query('begin');
    // The grade would have to follow: rolled back.
    await opened.owner.query(`alter table app.decision_outcomes disable trigger complete_outcome`);
    await opened.owner.query(
      `insert into app.decision_outcomes_${nameIn(1)} (record_id, facts, owner_facts, evaluated_at, result_bucket)
       values ($1, '{}', '{}', app.now(), 'noise')`,
      [record_id],
    );
    const { rows } = await opened.owner.query(`select event from app.log_pending where record_id = $1 order by seq`, [
      record_id,
    ]);
    await opened.owner.query('rollback');
    expect(rows).toEqual([{ event: 'numbered' }, { event: 'outcome' }]);
  });
});

test('check-evidence names the records of a partition that was detached', async () => {
  const record_id = await evaluatedIn(1);
  const lines: string[] = [];
  await opened.owner.query(
    `alter table app.decision_documents detach partition app.decision_documents_${nameIn(1)};
     alter table app.decision_outcomes detach partition app.decision_outcomes_${nameIn(1)}`,
  );
  const storage = await openStorage(opened.serviceUrl, 1);
  const { ok } = await checkEvidenceOn({ storage, print: (line) => void lines.push(line), withCohorts: false }).finally(
    () => storage.close(),
  );
  expect(ok).toBe(false);
  expect(lines).toEqual(
    expect.arrayContaining([`${record_id}: the statement is gone`, `${record_id}: its outcome is gone`]),
  );
});
