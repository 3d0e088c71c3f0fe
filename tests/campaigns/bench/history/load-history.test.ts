import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { PostgresStorage } from '../../../../adapters/postgres/storage.ts';
import { checkEvidenceOn } from '../../../../infrastructure/commands/evidence.ts';
import { freshDatabase, type TestDatabase } from '../../../harness/database.ts';
import { makeThrowawayFolder, removeThrowawayFolder } from '../../../harness/throwaway-folder.ts';
import { openStorage } from '../../stage/storage.ts';
import { loadHistory } from './load-history.ts';

// The machine may be busy with other tests.

const RECORDS = 300;

let folder: string;
let database: TestDatabase;
let storage: PostgresStorage;

beforeAll(async () => {
  folder = makeThrowawayFolder('history');
  database = await freshDatabase();
  storage = await openStorage(database.serviceUrl, 4);
  const place = { url: database.url, storage, bars: join(folder, 'bars') };
  await loadHistory(place, { records: RECORDS, templates: { days: 30, aDay: 3 }, agents: 20 });
});
afterAll(async () => {
  await storage.close();
  await database.drop();
  removeThrowawayFolder(folder);
});

test('every check of the evidence, its log and the cohorts finds nothing at fault', async () => {
  const printed: string[] = [];
  const print = (line: string) => void printed.push(line);
  const { ok, report } = await checkEvidenceOn({ storage, print, withCohorts: true });
  expect({ ok, faults: report.faults, differences: report.differences }).toEqual({
    ok: true,
    faults: [],
    differences: [],
  });
  expect(report.records).toBe(RECORDS);
  expect(report.outcomes).toBeGreaterThan(RECORDS / 3);
  expect(report.logs).toMatchObject([{ leaves: expect.any(Number) }]);
});
