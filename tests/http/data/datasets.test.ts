import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { validateCFF, validateCFFFile } from 'cffjs';
import { publishDataset } from '../../../application/datasets/publish-dataset.ts';
import { auditLog } from '../../../clients/typescript/verify/audit.ts';
import { NOTHING_SAVED } from '../../../clients/typescript/verify/saved-reading.ts';
import { snapshotReading } from '../../../clients/typescript/verify/snapshot-line.ts';
import { DATASET_COLUMNS, type DatasetFile, type DatasetStore } from '../../../domain/datasets/dataset-row.ts';
import type { WriteTable } from '../../../domain/table.ts';
import { DAY } from '../../../domain/time.ts';
import { composeSweeps } from '../../../infrastructure/compose/compose-sweeps.ts';
import { anAgentAt, strangerAt, type TestAgent } from '../../harness/callers.ts';
import { aPastCall, COHORTS_AT, gradedCalls } from '../../harness/cohorts.ts';
import { type DuckRow, duckRows, quoted } from '../../harness/duckdb.ts';
import { KEPT_LOG_POLICY } from '../../harness/kept-logs.ts';
import { logAll } from '../../harness/logged.ts';
import { rustRows } from '../../harness/rust-parquet.ts';
import {
  openService,
  type ServiceOptions,
  STORAGES,
  type StorageName,
  type TestService,
} from '../../harness/service.ts';
import { makeThrowawayFolder, removeThrowawayFolder } from '../../harness/throwaway-folder.ts';

const ENV = {
  LIMIT_COOLDOWN_SECONDS: '0',
  LIMIT_RETROACTIVE_PER_DAY: '1000',
  LIMIT_SUBMITS_PER_HOUR: '1000',
  DATA_SNAPSHOTS: 'monthly',
  DATA_SNAPSHOTS_LICENCE: 'CC-BY-4.0',
  PUBLIC_URL: 'https://stancebook.example',
  ALLOWED_HOSTS: '127.0.0.1',
};
const MONTH = '2017-07';
const DATA = ['decisions', 'decisions-with-retroactive'] as const;
/** Of decision groups, of which there are none here. */
const FURTHER = ['further-horizons', 'further-horizons-with-retroactive'] as const;
const FIELDS = [
  'market',
  'symbol',
  'venue',
  'asset_class',
  'quote_currency',
  'direction',
  'horizon_kind',
  'horizon_value',
];

const get = (service: TestService, path: string) =>
  strangerAt(service).get(path).buffer(true).responseType('arraybuffer');

interface Populated {
  readonly service: TestService;
  readonly agents: readonly TestAgent[];
}

/** Six owners; cohorts of enough owners, of too few, and of too few decisions; stated in time and afterwards. */
async function populate(storage: StorageName, changes: Partial<ServiceOptions> = {}): Promise<Populated> {
  const at = new Date(COHORTS_AT.getTime() - 20 * DAY);
  const service = await openService(storage, { at, env: ENV, ...changes });
  const agents = await Promise.all(Array.from({ length: 6 }, () => anAgentAt(service)));
  const realtime = { direction: 'bullish', horizon_kind: 'trading_days', horizon_value: 2 } as const;
  for (let day = 0; day < 3; day += 1) {
    for (const agent of agents) {
      const data_cutoff = (await service.ports.clock.now()).toISOString();
      const { status, text } = await agent.submit({ ...aPastCall(0), ...realtime, data_cutoff });
      if (status !== 201) throw new Error(text);
    }
    await service.arrange.advance(DAY);
  }
  await service.arrange.advance(17 * DAY);
  await service.settle();
  await gradedCalls(service, agents, [
    ...[30, 31, 33, 60].map((daysAgo) => aPastCall(daysAgo, { direction: 'bearish' })),
    aPastCall(20),
    aPastCall(70, { direction: 'neutral', horizon_value: 5 }),
  ]);
  // Two owners, enough decisions.
  const few = Array.from({ length: 8 }, (_, n) => aPastCall(40 + 2 * n, { direction: 'bearish', horizon_value: 10 }));
  await gradedCalls(service, agents.slice(0, 2), few);
  for (const agent of agents) {
    const { items } = (await agent.get('/api/v1/agent/decisions?lifecycle_state=evaluated&limit=5')).body;
    for (const { record_id } of items) await agent.note(record_id, 'canary-note').expect(201);
  }
  // The sweeps have made one of June already, before all of these were graded.
  await service.arrange.advance(30 * DAY);
  return { service, agents };
}

/** Where rows differ from what everybody is shown about the same cohorts; empty where they do not. */
async function differences(service: TestService, rows: readonly DuckRow[], include_retroactive: boolean) {
  const counted = Map.groupBy(rows, (row) =>
    JSON.stringify(Object.fromEntries(FIELDS.map((name) => [name, row[name]]))),
  );
  const wrong: string[] = [];
  for (const [cohort, mine] of counted) {
    const query = new URLSearchParams({ ...JSON.parse(cohort), include_retroactive: String(include_retroactive) });
    const { body } = await strangerAt(service).get(`/api/v1/public/cohorts?${query}`);
    const { sample_count, result_distribution, had_said } = body.overview;
    if (sample_count !== mine.length) wrong.push(`${cohort}: ${mine.length} rows, ${sample_count} are shown`);
    const counts = (column: string) =>
      Object.fromEntries(
        Object.keys(result_distribution ?? {}).map((bucket) => [
          bucket,
          mine.filter((row) => row[column] === bucket).length,
        ]),
      );
    if (sample_count === null) continue;
    expect(counts('result_bucket')).toEqual(result_distribution);
    for (const direction of ['bullish', 'bearish', 'neutral'])
      expect(counts(`had_said_${direction}`)).toEqual(had_said[direction]);
  }
  return wrong;
}

describe.each(STORAGES)('public snapshots, on %s', (storage) => {
  const folder = makeThrowawayFolder('datasets');
  let service: TestService;
  let agents: readonly TestAgent[];
  let files: readonly DatasetFile[] = [];
  beforeAll(async () => {
    ({ service, agents } = await populate(storage));
    await logAll(service);
    await composeSweeps(service.ports)['publish-dataset']();
    files = JSON.parse((await get(service, `/data/${MONTH}/`)).body.toString()).files;
    for (const { name, bytes } of files) {
      const reply = await get(service, `/data/${MONTH}/${name}`);
      expect([reply.status, reply.body.length, reply.headers['content-length']]).toEqual([200, bytes, String(bytes)]);
      writeFileSync(join(folder, name), reply.body);
    }
  });
  afterAll(async () => {
    removeThrowawayFolder(folder);
    await service.close();
  });

  const textOf = (name: string) => readFileSync(join(folder, name), 'latin1');
  const rowsIn = (name: string) => duckRows(`select * from read_parquet(${quoted(join(folder, `${name}.parquet`))})`);

  test('are listed with their files, whose digests are those of SHA256SUMS', async () => {
    const { status, headers, body } = await get(service, '/data/');
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    const { snapshots } = JSON.parse(body.toString());
    expect(snapshots).toMatchObject([{ month: MONTH, path: `/data/${MONTH}/`, files }, { month: '2017-06' }]);
    expect(files.map(({ name }) => name)).toEqual([
      ...[...DATA, ...FURTHER].flatMap((name) => [`${name}.parquet`, `${name}.jsonl`]),
      ...['checkpoint', 'data-dictionary.md', 'datapackage.json', 'croissant.json', 'CITATION.cff', 'SHA256SUMS'],
    ]);
    const checked = execFileSync('sha256sum', ['-c', '--strict', 'SHA256SUMS'], { cwd: folder, encoding: 'utf8' });
    expect(checked.trim().split('\n')).toHaveLength(files.length - 1);
  });

  test('have the counts that everybody is shown about the same cohorts, as DuckDB reads them', async () => {
    const sizes: number[] = [];
    for (const name of DATA) {
      const rows = await rowsIn(name);
      expect(await differences(service, rows, name !== 'decisions')).toEqual([]);
      const lines =
        await duckRows(`select * from read_json(${quoted(join(folder, `${name}.jsonl`))}, format = 'newline_delimited',
        columns = {${DATASET_COLUMNS.map(({ name: each, kind }) => `${each}: '${kind === 'integer' ? 'INTEGER' : 'VARCHAR'}'`).join(', ')}})`);
      expect(lines).toEqual(rows);
      sizes.push(rows.length);
    }
    // Three a day of six owners in time; those, one and four of each afterwards. The neutral ones are too few, and so are
    // the owners of the longer bearish ones.
    expect(sizes).toEqual([18, 18 + 6 + 24]);
    for (const name of FURTHER) expect(await rowsIn(name)).toEqual([]);
    const [month] = await duckRows(
      `select count(*)::int as n from read_parquet(${quoted(join(folder, 'decisions-with-retroactive.parquet'))})
        where direction = 'bearish' and data_cutoff_month = '2017-05'`,
    );
    const query = `market=crypto&symbol=BTC&direction=bearish&horizon_kind=trading_days&horizon_value=2&include_retroactive=true`;
    const { body } = await strangerAt(service).get(`/api/v1/public/cohorts?${query}&period=2017-05`);
    expect([body.overview.suppression.reason, 18]).toEqual(['narrowed_too_far', month?.n]);
  });

  test('show nothing that names or leads to an owner, an agent or a decision', async () => {
    for (const { name } of files) {
      const text = textOf(name);
      for (const { owner_id, agent_id } of agents)
        expect([name, text.includes(owner_id) || text.includes(agent_id)]).toEqual([name, false]);
      expect([name, /dec_\d{8}|agt_|sbk_|canary/.test(text)]).toEqual([name, false]);
    }
    const names = DATASET_COLUMNS.map(({ name }) => name);
    expect(Object.keys((await rowsIn('decisions'))[0] ?? {})).toEqual(names);
    expect(names.filter((name) => /_id$|_at$|time|price|return|commitment|hash|key/.test(name))).toEqual([]);
  });

  test('are described by Data Package, Croissant and a citation', async () => {
    const pack = JSON.parse(textOf('datapackage.json'));
    expect(pack.licenses).toEqual([{ name: 'CC-BY-4.0', path: 'https://spdx.org/licenses/CC-BY-4.0.html' }]);
    const names = DATASET_COLUMNS.map(({ name }) => name);
    for (const { path, hash, bytes, schema } of pack.resources) {
      const file = files.find(({ name }) => name === path);
      expect([`sha256:${file?.sha256}`, file?.bytes]).toEqual([hash, bytes]);
      expect(schema.fields.map(({ name }: { readonly name: string }) => name)).toEqual(names);
    }
    const croissant = JSON.parse(textOf('croissant.json'));
    expect(croissant.conformsTo).toBe('http://mlcommons.org/croissant/1.0');
    expect(croissant.url).toBe(`https://stancebook.example/data/${MONTH}/`);
    const ids = new Set(croissant.distribution.map((file: { readonly '@id': string }) => file['@id']));
    for (const { field } of croissant.recordSet)
      for (const { source } of field) expect(ids.has(source.fileObject['@id'])).toBe(true);
    expect(textOf('CITATION.cff')).toContain('license: CC-BY-4.0\n');
  });

  test('have a citation that the schema of the Citation File Format accepts, as cffjs has it', () => {
    const cited = validateCFFFile(join(folder, 'CITATION.cff'));
    expect(cited).toMatchObject({ type: 'dataset', version: '2017.7.0', 'date-released': '2017-07-05' });
    for (const planted of [
      { type: 'data' },
      { license: 'FREE' },
      { 'date-released': 'July' },
      { authors: [] },
      { by: '' },
    ])
      expect(() => validateCFF({ ...cited, ...planted })).toThrow('CFF validation failed');
  });

  test('never change, so that a copy is valid for ever; one that is made again is the same one', async () => {
    const { headers } = await get(service, `/data/${MONTH}/decisions.parquet`);
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(headers['access-control-allow-origin']).toBe('*');
    const again = await get(service, `/data/${MONTH}/decisions.parquet`).set('If-None-Match', headers.etag ?? '');
    expect(again.status).toBe(304);
    const list = await get(service, '/data/');
    const listAgain = await get(service, '/data/').set('If-None-Match', list.headers.etag ?? '');
    expect(listAgain.status).toBe(304);
    const [first = ''] = await agentsRecord(service);
    await service.arrange.mark(first, { quarantine_reason: 'a test' });
    await composeSweeps(service.ports)['publish-dataset']();
    expect((await get(service, `/data/${MONTH}/decisions.parquet`)).headers.etag).toBe(headers.etag);
  });

  test('have the digest of SHA256SUMS in the evidence log', async () => {
    await logAll(service);
    const { body } = await get(service, `/data/${MONTH}/`);
    const { leaf } = JSON.parse(body.toString());
    const sums = files.find(({ name }: DatasetFile) => name === 'SHA256SUMS');
    expect(leaf).toEqual({ origin: 'log.test/log/1', index: expect.any(Number) });
    const logged = await service.ports.log.datasets();
    expect(logged).toContainEqual({ log: 1, index: leaf.index, month: MONTH, sha256: sums?.sha256 });
    const bundle = await service.ports.log.bundle(1, Math.floor(leaf.index / 256));
    expect(Buffer.from(bundle ?? []).toString()).toContain(`{"sha256":"${sums?.sha256}","t":"dataset","v":1}`);
    const note = textOf('checkpoint');
    expect(note).toMatch(/^log\.test\/log\/1\n\d+\n/);
    expect(Number(note.split('\n')[1])).toBeLessThanOrEqual(leaf.index);
  });

  test('have rows of logged decisions, by the verifier, which finds an altered one, and waits for a quarantined one', async () => {
    await logAll(service);
    const audited = async (text: string, file = 'decisions.jsonl') => {
      const read = async (path: string) => new Uint8Array((await get(service, `/log/1/${path}`)).body);
      const now = Math.floor((await service.ports.clock.now()).getTime() / 1_000);
      const all = { snapshot: snapshotReading(text, file) };
      const { lines } = await auditLog(read, KEPT_LOG_POLICY, NOTHING_SAVED, { now, live: true, all });
      const { verdict, detail } = lines.find(({ subject }) => subject === 'snapshot') ?? { verdict: '', detail: '' };
      return [verdict, detail];
    };
    const [first = '', ...others] = textOf('decisions.jsonl').trim().split('\n');
    const altered = first.replace(/"result_bucket":"\w+"/, '"result_bucket":"no_bucket"');
    // A decision of these rows is quarantined by now, and no leaf closes it yet: one row may be its own, and no two.
    expect(await audited([first, ...others].join('\n'))).toEqual([
      'not checked',
      expect.stringMatching(/^1 of 18 rows are of no decision that is shown, .*; 0 graded ones are closed, 1 are not/),
    ]);
    expect(await audited([altered, altered, ...others.slice(1)].join('\n'))).toEqual([
      'FAILS',
      expect.stringMatching(/^\d of 18 rows are of no decision that is shown, such as row 1, /),
    ]);
    const retroactive = textOf('decisions-with-retroactive.jsonl')
      .split('\n')
      .filter((row) => !row.includes('"realtime"'));
    expect((await audited(retroactive.join('\n'), 'decisions-with-retroactive.jsonl'))[0]).toBe('holds');
  });

  test.each(['/data/2017-05/', '/data/2017-06/other', '/data/x/', '/data/2017-06/..%2Fx', '/data/2017-05/SHA256SUMS'])(
    '%s is not there',
    async (path) => {
      const { status, body } = await get(service, path);
      expect([status, JSON.parse(body.toString()).error.code]).toEqual([404, 'NOT_FOUND']);
    },
  );
});

async function agentsRecord({ ports }: TestService): Promise<readonly string[]> {
  const { moment } = await ports.cohorts.summarise({ market: 'crypto', include_retroactive: false }, 1);
  const request = { sort: 'data_cutoff_desc', limit: 1, after: null, moment } as const;
  const rows = await ports.cohorts.page({ market: 'crypto', include_retroactive: false }, request);
  return rows.map(({ record_id }) => record_id);
}

describe.each(STORAGES)('a planted fault, on %s', (storage) => {
  /** Finds enough owners wherever there are enough decisions. */
  const leaking = (store: DatasetStore): DatasetStore => ({
    ...store,
    make: (month, work) =>
      store.make(month, (source, write, written) => {
        const cohorts: typeof source.cohorts = async (instrument, wanted) =>
          (await source.cohorts(instrument, wanted)).map((tally) => ({ ...tally, enoughProducers: true }));
        return work({ ...source, cohorts }, write, written);
      }),
  });

  test('the rows of a withheld cohort are found', async () => {
    const folder = makeThrowawayFolder('leaking');
    const ports = { ports: (plain: TestService['ports']) => ({ datasets: leaking(plain.datasets) }) };
    const { service } = await populate(storage, ports);
    await composeSweeps(service.ports)['publish-dataset']();
    const path = join(folder, 'leaking.parquet');
    writeFileSync(path, (await get(service, `/data/${MONTH}/decisions-with-retroactive.parquet`)).body);
    const found = await differences(service, await duckRows(`select * from read_parquet(${quoted(path)})`), true);
    expect(found).toEqual([expect.stringMatching(/"horizon_value":10\}: 16 rows, null are shown$/)]);
    removeThrowawayFolder(folder);
    await service.close();
  });
});

/** What writers do that have faults, to a file of Parquet. */
const SPOILED: Readonly<Record<string, (file: Buffer) => Buffer>> = {
  'ends before its footer': (file) => file.subarray(0, -9),
  'lacks a part of its rows': (file) => Buffer.concat([file.subarray(0, 4), file.subarray(20)]),
  'has a cell of another value': (file) => {
    const at = file.indexOf('crypto');
    return Buffer.concat([file.subarray(0, at), Buffer.from('stocks'), file.subarray(at + 6)]);
  },
  'has a list without a type, which readers in Rust refuse': (file) => {
    // Of the row groups: a list of one struct.
    const at = file.lastIndexOf(Buffer.from([0x19, 0x1c]), -40);
    return Buffer.concat([file.subarray(0, at + 1), Buffer.from([0x10]), file.subarray(at + 2)]);
  },
};

describe.each(STORAGES)('a table that cannot be read, on %s', (storage) => {
  test('is not published, and neither is the rest of its month', async () => {
    const service = await openService(storage, { at: new Date('2017-06-01T00:30:00Z'), env: ENV });
    const agents = await Promise.all(Array.from({ length: 6 }, () => anAgentAt(service)));
    await gradedCalls(service, agents, [aPastCall(30), aPastCall(40)]);
    await service.arrange.advance(31 * DAY);
    const publish = (ports: Partial<TestService['ports']>) => publishDataset({ ...service.ports, ...ports });
    for (const [name, spoil] of Object.entries(SPOILED)) {
      const parquet: WriteTable = async function* (columns, pages) {
        const pieces: Uint8Array[] = [];
        for await (const piece of service.ports.writeTable.parquet(columns, pages)) pieces.push(Buffer.from(piece));
        yield spoil(Buffer.concat(pieces));
      };
      const writeTable = { ...service.ports.writeTable, parquet };
      expect([name, await publish({ writeTable }).catch(() => 'refused')]).toEqual([name, 'refused']);
      expect(await service.ports.datasets.find('2017-07')).toBeNull();
      expect((await get(service, '/data/2017-07/decisions.parquet')).status).toBe(404);
    }
    const jsonl: WriteTable = async function* (columns, pages) {
      for await (const piece of service.ports.writeTable.jsonl(columns, pages)) yield String(piece).slice(0, -2);
    };
    await expect(publish({ writeTable: { ...service.ports.writeTable, jsonl } })).rejects.toThrow();
    expect(await publish({})).toBe(true);
    await service.close();
  });
});

describe.each(STORAGES)('a month without a cohort that is shown, on %s', (storage) => {
  test('has a snapshot without rows, which is not made again when there is a cohort; the next month has all of it', async () => {
    const folder = makeThrowawayFolder('empty-month');
    const at = new Date('2017-06-01T00:30:00Z');
    const service = await openService(storage, { at, env: ENV });
    const publish = () => composeSweeps(service.ports)['publish-dataset']();
    const rowsOf = async (month: string) => {
      const path = join(folder, `${month}.parquet`);
      writeFileSync(path, (await get(service, `/data/${month}/decisions-with-retroactive.parquet`)).body);
      const { length } = await duckRows(`select * from read_parquet(${quoted(path)})`);
      expect(rustRows(readFileSync(path))).toBe(length);
      return length;
    };
    await publish();
    const sums = (await get(service, '/data/2017-06/SHA256SUMS')).body.toString();
    const agents = await Promise.all(Array.from({ length: 6 }, () => anAgentAt(service)));
    await gradedCalls(service, agents, [aPastCall(30), aPastCall(40)]);
    const shown = await strangerAt(service).get('/api/v1/public/cohorts?market=crypto&include_retroactive=true');
    expect(shown.body.overview.sample_count).toBe(12);
    await publish();
    expect([await rowsOf('2017-06'), (await get(service, '/data/2017-06/SHA256SUMS')).body.toString()]).toEqual([
      0,
      sums,
    ]);
    await service.arrange.advance(30 * DAY);
    await publish();
    expect(await rowsOf('2017-07')).toBe(12);
    removeThrowawayFolder(folder);
    await service.close();
  });
});

test.each([{}, { DATA_SNAPSHOTS: 'off', DATA_SNAPSHOTS_LICENCE: 'CC0-1.0' }])('with %j there are none', async (env) => {
  const service = await openService('memory', { at: COHORTS_AT, env });
  await composeSweeps(service.ports)['publish-dataset']();
  expect(await service.ports.datasets.list()).toEqual([]);
  for (const path of ['/data/', `/data/${MONTH}/`]) expect((await strangerAt(service).get(path)).status).toBe(404);
  await service.close();
});

test('an address gets so many files a minute', async () => {
  const service = await openService('memory', { at: COHORTS_AT, env: ENV });
  const replies = [];
  for (let each = 0; each < 61; each += 1) replies.push((await get(service, '/data/')).status);
  expect([replies.filter((status) => status === 200).length, replies.at(-1)]).toEqual([60, 429]);
  await service.close();
});
