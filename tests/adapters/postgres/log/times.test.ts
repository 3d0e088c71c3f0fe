import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { SavedReading } from '../../../../clients/typescript/verify/saved-reading.ts';
import { verifyFile } from '../../../../clients/typescript/verify/verify-file.ts';
import { DAY, MINUTE } from '../../../../domain/time.ts';
import { aSubmission } from '../../../builders/decisions.ts';
import { aPastCall, gradedCalls } from '../../../harness/cohorts.ts';
import { type LoggedService, loggedService } from './logged-service.ts';
import { failures, tamper } from './tamper.ts';

// Who runs the service has every right and every key, also that of the witness in these tests.
let logged: LoggedService;
beforeAll(async () => {
  logged = await loggedService(2, true);
});
afterAll(() => logged.close());

/** Submits a realtime decision for a window, and returns its id. */
async function submitted(seconds: number, symbol: string): Promise<string> {
  const { agent, service } = logged;
  const submission = aSubmission(await service.ports.clock.now(), { symbol, horizon_value: seconds });
  const { body, status } = await agent.submit(submission);
  expect([status, body.error]).toEqual([201, undefined]);
  return body.record_id;
}

/** Keeps what is pending of a decision from the log for 20 minutes. */
async function heldBack(record_id: string): Promise<void> {
  const later = new Date((await logged.service.ports.clock.now()).getTime() + 20 * MINUTE).toISOString();
  await tamper(logged, [`update app.log_pending set ready_at = '${later}' where record_id = '${record_id}'`]);
}

async function receiptLines(record_id: string): Promise<readonly string[]> {
  return logged.verify((await logged.receipt(record_id, 'decision')) ?? '');
}

async function auditLines(since?: SavedReading, sample = 1_000) {
  const { lines, kept } = await logged.outside({ sample, ...(since && { since }) });
  const of = (subject: string) => lines.find((line) => line.slice(12).startsWith(`${subject} `)) ?? '';
  return { lines, kept, order: of('order'), time: of('time') };
}

const publicLate = async (record_id: string) =>
  (await logged.service.ports.decisions.find([record_id], null))[0]?.log?.late;

test('a decision for 120 seconds is too short for a log of minutes, and one for a day is in time', async () => {
  const [short, day] = [await submitted(120, 'AAA-USD'), await submitted(86_400, 'BBB-USD')];
  await logged.tick();
  expect(await receiptLines(short)).toContainEqual(
    expect.stringMatching(/^not checked time .*a log of minutes cannot show it for so short a window$/),
  );
  expect(await receiptLines(day)).toContainEqual(expect.stringMatching(/^holds +time .* % of its window was over$/));
  expect([await publicLate(short), await publicLate(day)]).toEqual([false, false]);
});

test('a pause of most of a window makes its decision late, and the service says so too', async () => {
  const { kept } = await auditLines(undefined, 0);
  const id = await submitted(3_600, 'CCC-USD');
  await logged.tick(50 * MINUTE);
  const lines = await receiptLines(id);
  expect(failures(lines)).toEqual([]);
  expect(lines).toContainEqual(
    expect.stringMatching(
      /^late +time .* % of its window was over, later than the 5 minutes of the log; somebody could/,
    ),
  );
  expect(await publicLate(id)).toBe(true);
  expect(kept?.reads).toHaveLength(1);
});

test('an outage of two hours delays all decisions alike: they are late, and nothing fails', async () => {
  const ids = [];
  for (const symbol of ['DDD-USD', 'EEE-USD', 'FFF-USD']) {
    ids.push(await submitted(86_400, symbol));
    await logged.service.arrange.advance(40 * MINUTE);
  }
  await logged.tick();
  for (const id of ids.slice(0, 2)) {
    const lines = await receiptLines(id);
    expect(failures(lines)).toEqual([]);
    expect(lines).toContainEqual(expect.stringMatching(/^late +time /));
  }
  const { lines, order } = await auditLines();
  expect(failures(lines)).toEqual([]);
  expect(order).toMatch(/^holds +order +\d+ opened decisions were logged in the order of their minutes$/);
});

test('a leaf that is held back comes after newer ones, which an audit finds', async () => {
  const { service, agent } = logged;
  const before = await auditLines();
  const [held = ''] = await gradedCalls(service, [agent], [aPastCall(40)]);
  await heldBack(held);
  await logged.tick(10 * MINUTE);
  await gradedCalls(service, [agent], [aPastCall(41)]);
  await logged.tick();
  await logged.tick();
  expect(await logged.receipt(held, 'decision')).toBeNull();
  await logged.tick(20 * MINUTE);
  await logged.tick();
  const { order, kept } = await auditLines(before.kept ?? undefined);
  expect(order).toMatch(/^FAILS +order +leaf \d+ is of \S+, after leaf \d+ of \S+: it was held back, or backdated$/);
  expect(kept).toBeNull();
});

test('what an earlier reading of the log did not have is late, whatever the witness signs', async () => {
  await logged.tick(DAY);
  const id = await submitted(86_400, 'GGG-USD');
  await heldBack(id);
  await logged.tick(10 * MINUTE);
  const { reads } = (await auditLines(undefined, 0)).kept ?? { reads: [] };
  expect(reads).toHaveLength(1);
  await logged.tick(20 * MINUTE);
  const proof = (await logged.receipt(id, 'decision')) ?? '';
  const origin = (await logged.service.ports.log.newest())?.origin ?? '';
  // The operator could sign with the key of a witness, at whatever time: what was read says more.
  const policy = logged.policy.replace('quorum W', 'quorum none');
  const lines = await verifyFile(proof, policy, [], {
    reads: { origins: [[origin, Number.POSITIVE_INFINITY] as const], each: reads },
    stamps: null,
  });
  expect(lines.find(({ subject }) => subject === 'time')).toMatchObject({
    ...{ verdict: 'late', detail: expect.stringContaining('not yet logged at') },
  });
});
