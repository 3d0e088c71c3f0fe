import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { withNotedFaults } from '../../application/decisions/note-faults.ts';
import { pruneExpired } from '../../application/decisions/prune-expired.ts';
import { readStatus } from '../../application/operators/read-status.ts';
import { RECORD_FAULTS, SECURITY_EVENTS } from '../../domain/limits.ts';
import { MINUTE } from '../../domain/time.ts';
import { recordFaults } from '../../infrastructure/background/key-uses.ts';
import { jobNotes, reportProcess } from '../../infrastructure/background/process-reports.ts';
import { aProcess } from '../builders/processes.ts';
import { type OpenedDatabase, onPostgres } from '../contracts/decisions/adapters.ts';
import { anAgentAt, type TestAgent } from '../harness/callers.ts';
import { aPastCall, COHORTS_AT } from '../harness/cohorts.ts';
import { NO_BACKUPS } from '../harness/made-backups.ts';
import { openService, type TestService } from '../harness/service.ts';

let opened: OpenedDatabase;
let service: TestService;
let agent: TestAgent;
let [damaged, sound] = ['', ''];

beforeAll(async () => {
  opened = await onPostgres(4);
  service = await openService('postgres', { at: COHORTS_AT, opened, env: { LIMIT_COOLDOWN_SECONDS: '0' } });
  agent = await anAgentAt(service);
  damaged = (await agent.submit(aPastCall(9))).body.record_id;
  sound = (await agent.submit(aPastCall(10))).body.record_id;
  await service.settle();
});
afterAll(() => service?.close());

const settings = {
  securityEventsKept: SECURITY_EVENTS.leastKept,
  sessionSecret: 's'.repeat(32),
  logPolicy: null,
  timestampAuthorities: [],
  watchesPegs: false,
  expectsBackups: false,
};

/** A process from its start to its end: it reads the records, and runs the job. */
async function process(record_ids: readonly string[]): Promise<void> {
  const faults = recordFaults({ error: () => undefined });
  const ports = withNotedFaults(opened.storage, faults.note);
  const log = { warn: (message: string) => expect(message).toBe('nothing') };
  const stop = await reportProcess(ports, () => aProcess(), jobNotes(), faults, log);
  await ports.decisions.find(record_ids, agent.owner_id);
  await ports.graph.find(record_ids, agent.owner_id);
  await pruneExpired({ ...ports, mailSender: null, settings });
  await stop();
}

const named = async () => {
  const { problems } = await readStatus({ ...opened.storage, replicaLag: null, backupMaker: NO_BACKUPS, settings });
  return problems.filter(({ part }) => part === 'records').map(({ problem }) => problem);
};

async function change(sql: string, value: unknown): Promise<void> {
  await opened.owner.query('alter table app.decisions disable trigger user');
  await opened.owner.query(sql, [damaged, value]);
  await opened.owner.query('alter table app.decisions enable trigger user');
}

test('a record is named after a restart, until it can be read in full again', async () => {
  const { mae } = (await opened.owner.query('select mae from app.decisions where record_id = $1', [damaged])).rows[0];
  await process([damaged, sound]);
  expect(await named()).toEqual([]);
  const set = 'update app.decisions set mae = $2 where record_id = $1';
  await change(set, Number.NaN);
  await process([damaged, sound]);
  const problem = [`A stored record cannot be read in full: ${damaged} (path).`];
  expect(await named()).toEqual(problem);
  // Processes that read nothing: the job does.
  for (let run = 0; run < 3; run += 1) {
    await service.arrange.advance(RECORD_FAULTS.readAgainAfter + MINUTE);
    await process([]);
    expect(await named()).toEqual(problem);
  }
  await change(set, mae);
  await process([]);
  expect(await named()).toEqual(problem);
  await service.arrange.advance(RECORD_FAULTS.readAgainAfter + MINUTE);
  await process([]);
  expect(await named()).toEqual([]);
  await change(set, Number.NaN);
  await process([damaged]);
  expect(await named()).toEqual(problem);
});

test('one that is gone is forgotten', async () => {
  const now = await opened.storage.clock.now();
  await opened.storage.processes.noteFaulty([{ record_id: 'dec_20170605_deadbeef', parts: ['outcome'] }], now);
  expect((await opened.storage.processes.faulty(1)).total).toBe(2);
  await service.arrange.advance(RECORD_FAULTS.readAgainAfter + MINUTE);
  await process([]);
  const { total, newest } = await opened.storage.processes.faulty(5);
  expect([total, newest.map(({ record_id }) => record_id)]).toEqual([1, [damaged]]);
});
