import { expect, test } from '@jest/globals';
import { readStatus } from '../../../application/operators/read-status.ts';
import { processStatus } from '../../../application/operators/status-figures.ts';
import { RECORD_FAULTS } from '../../../domain/limits.ts';
import { recordFaults } from '../../../infrastructure/background/key-uses.ts';
import { aProcess } from '../../builders/processes.ts';
import { onMemory } from '../../contracts/decisions/adapters.ts';

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

test('what a process reports is a problem of the status, with the ids', async () => {
  const { storage, close } = await onMemory();
  const now = await storage.clock.now();
  const faulty_records = { total: 7, newest: ['dec_20260302_00000001'] };
  await storage.processes.report(aProcess({ started_at: now, faulty_records }), [], now);
  const settings = { logPolicy: null, watchesPegs: false, expectsBackups: false };
  const { problems } = await readStatus({ ...storage, replicaLag: null, settings });
  const about = problems.filter(({ part }) => part === 'records');
  expect(about).toEqual([
    expect.objectContaining({ problem: expect.stringMatching(/: 7 by a:1\. .* dec_20260302_00000001\.$/) }),
  ]);
  await storage.processes.report(aProcess({ started_at: now }), [], now);
  const sound = await readStatus({ ...storage, replicaLag: null, settings });
  expect(sound.problems.filter(({ part }) => part === 'records')).toEqual([]);
  expect(processStatus(await storage.processes.all(), now)).toMatchObject([{ faulty_records: null }]);
  await close();
});
