import { expect, test } from '@jest/globals';
import { readStatus } from '../../../application/operators/read-status.ts';
import { RECORD_FAULTS } from '../../../domain/limits.ts';
import { recordFaults } from '../../../infrastructure/background/key-uses.ts';
import { aProcess } from '../../builders/processes.ts';
import { onMemory } from '../../contracts/decisions/adapters.ts';
import { NO_BACKUPS } from '../../harness/made-backups.ts';

const lines: unknown[] = [];
const log = { error: (message: string, fields: object = {}) => void lines.push([message, fields]) };

test('each part of a record is logged and counted once', () => {
  const faults = recordFaults(log);
  faults.note('dec_20260302_00000001', ['outcome']);
  faults.note('dec_20260302_00000001', ['outcome']);
  faults.note('dec_20260302_00000001', ['outcome', 'bars']);
  faults.note('dec_20260302_00000002', ['outcome']);
  const message = 'A record cannot be read in full; its views leave parts out';
  expect(lines).toEqual([
    [message, { record_id: 'dec_20260302_00000001', reason: 'outcome' }],
    [message, { record_id: 'dec_20260302_00000001', reason: 'bars' }],
    [message, { record_id: 'dec_20260302_00000002', reason: 'outcome' }],
  ]);
  expect(faults.counts()).toEqual({ outcome: 2, created_regime: 0, path: 0, statement: 0, bars: 1 });
  expect(faults.found()).toMatchObject({ total: 2, newest: ['dec_20260302_00000002', 'dec_20260302_00000001'] });
});

test('a process remembers a bounded number of records, and names the newest', () => {
  const faults = recordFaults({ error: () => undefined });
  for (let n = 0; n < RECORD_FAULTS.remembered + 10; n += 1) faults.note(`record ${n}`, ['path']);
  const { total, newest } = faults.found();
  expect([total, newest.length, newest[0]]).toEqual([
    RECORD_FAULTS.remembered,
    RECORD_FAULTS.named,
    `record ${RECORD_FAULTS.remembered + 9}`,
  ]);
});

test('what was noted is taken once with all its parts, and again after it is noted again', () => {
  const faults = recordFaults({ error: () => undefined });
  faults.note('dec_20260302_00000001', ['outcome']);
  faults.note('dec_20260302_00000001', ['bars']);
  faults.note('dec_20260302_00000002', ['path']);
  expect(faults.take()).toEqual([
    { record_id: 'dec_20260302_00000001', parts: ['outcome', 'bars'] },
    { record_id: 'dec_20260302_00000002', parts: ['path'] },
  ]);
  expect(faults.take()).toEqual([]);
  faults.note('dec_20260302_00000002', ['path']);
  expect(faults.take()).toEqual([{ record_id: 'dec_20260302_00000002', parts: ['path'] }]);
});

test('known records are one problem of the status, with the ids and parts of the newest', async () => {
  const { storage, close } = await onMemory();
  const now = await storage.clock.now();
  const settings = { logPolicy: null, timestampAuthorities: [], watchesPegs: false, expectsBackups: false };
  const problems = async () => {
    const status = await readStatus({ ...storage, replicaLag: null, backupMaker: NO_BACKUPS, settings });
    return status.problems.filter(({ part }) => part === 'records').map(({ problem }) => problem);
  };
  // A report of what a process found is no problem by itself: the record may be repaired since.
  const faulty_records = { total: 7, newest: ['dec_20260302_00000001'] };
  await storage.processes.report(aProcess({ started_at: now, faulty_records }), [], now);
  expect(await problems()).toEqual([]);
  await storage.processes.noteFaulty([{ record_id: 'dec_20260302_00000001', parts: ['path', 'bars'] }], now);
  expect(await problems()).toEqual(['A stored record cannot be read in full: dec_20260302_00000001 (bars, path).']);
  const more = Array.from({ length: RECORD_FAULTS.named }, (_, n) => `dec_20260303_0000000${n}`);
  await storage.processes.noteFaulty(
    more.map((record_id) => ({ record_id, parts: ['path'] })),
    now,
  );
  expect(await problems()).toEqual([
    expect.stringMatching(
      /^6 stored records cannot be read in full: dec_20260303_00000004 \(path\); .*, and 1 more\.$/,
    ),
  ]);
  await close();
});
