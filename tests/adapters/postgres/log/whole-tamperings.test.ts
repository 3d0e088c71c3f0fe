import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { resumeLog } from '../../../../application/log/keep-log.ts';
import type { SavedReading } from '../../../../clients/typescript/verify/saved-reading.ts';
import { COSIGNATURE, cosign, noteOf, noteText, vkeyText } from '../../../../domain/log/notes/note.ts';
import { proofOf, proofText } from '../../../../domain/log/tree/proof.ts';
import { DAY, HOUR, MINUTE } from '../../../../domain/time.ts';
import { aSubmission } from '../../../builders/decisions.ts';
import { aSigner } from '../../../builders/log.ts';
import { type LoggedService, loggedService } from './logged-service.ts';
import { failures, newFaults, sealedAnew, tamper } from './tamper.ts';

let logged: LoggedService;
beforeAll(async () => {
  logged = await loggedService(3);
});
afterAll(() => logged.close());

test('a quarantine without an entry of the audit log closes the decision in the log within a day', async () => {
  const { id, index } = logged.held(-1);
  const { owner } = logged.opened;
  const found = await newFaults(logged, async () => {
    await owner.query('alter table app.decisions disable trigger require_audit_entry');
    await owner.query(`update app.decisions set lifecycle_state = 'quarantined' where record_id = '${id}'`);
    await owner.query('alter table app.decisions enable always trigger require_audit_entry');
  });
  expect(found).toEqual([
    `${id}: lifecycle_state is quarantined, and the last entry of the audit log about it is none`,
  ]);
  expect(await logged.finding(index)).toBe('missing');
  const rules = async () => (await logged.outside()).lines.find((line) => line.includes(' rules '));
  expect(await rules()).toMatch(/ \+ 0 closed$/);
  await logged.tick(DAY + 2 * MINUTE);
  expect(await rules()).toMatch(/ \+ 1 closed: 0 before a grade, 1 after one$/);
});

test('an entry of the audit log that was removed is named by the head that was logged', async () => {
  const { audit, log } = logged.service.ports;
  await audit.append({ actor: 'ada', action: 'tried', subject: 'something', detail: {} });
  await logged.tick(DAY);
  const head = await log.lastHead(1);
  const found = await newFaults(logged, () =>
    tamper(logged, [`delete from app.audit_log where seq = ${head?.head.seq}`]),
  );
  expect(found).toEqual([`audit entry ${head?.head.seq}: it is gone; it was there on ${head?.day}, as logged`]);
});

test('a decision that was removed from all tables leaves its leaves', async () => {
  const { id, index, decision } = logged.held(-2);
  const found = await newFaults(logged, () =>
    tamper(
      logged,
      REMOVED.map((table) => `delete from app.${table} where record_id = '${id}'`),
    ),
  );
  expect(found).toContainEqual(expect.stringMatching(new RegExp(`^leaf ${index} of \\S+: no decision has it$`)));
  expect(found).toContainEqual(expect.stringMatching(/^leaf \d+ of \S+: no outcome has it$/));
  expect(await logged.finding(index)).toBe('missing');
  expect(await logged.receipt(id, 'decision')).toBeNull();
  expect(failures(await logged.verify(decision))).toEqual([]);
});

const REMOVED = [
  ...['log_decisions', 'log_outcomes', 'cohort_tail', 'outcome_evidence', 'decision_outcomes', 'decision_relations'],
  ...['decision_documents', 'decisions'],
];

test('a realtime decision that was backdated was logged late', async () => {
  const { service, agent } = logged;
  await agent.submit(aSubmission(await service.ports.clock.now()));
  await logged.tick();
  const now = await service.ports.clock.now();
  const { body } = await agent.submit(aSubmission(now));
  const id: string = body.record_id;
  const found = await newFaults(logged, async () => {
    await tamper(logged, backdated(id, new Date(now.getTime() - 3 * HOUR)));
    await logged.tick();
  });
  expect(found).toEqual([
    expect.stringMatching(/^leaf \d+ of \S+: its decision says that it was submitted at \S+, after \S+ was logged$/),
  ]);
  const receipt = proofOf((await logged.receipt(id, 'decision')) ?? '');
  const note = noteOf(receipt.checkpoint);
  const seen = await cosign(note.text, (await service.ports.clock.now()).getTime() / 1_000, WITNESS);
  const checkpoint = noteText({ text: note.text, signatures: [...note.signatures, seen] });
  const policy = logged.policy.replace('quorum none', `witness W ${vkeyText(WITNESS.key)}\nquorum W`);
  const lines = await logged.verify(proofText({ ...receipt, checkpoint }), [], policy);
  expect(failures(lines)).toEqual([]);
  expect(lines).toContainEqual(
    expect.stringMatching(
      /^late +time .*: all of its window was over, later than the 5 minutes of the log; somebody could/,
    ),
  );
});

const WITNESS = aSigner('w.example', COSIGNATURE, 2);

/** A receive time and a data cutoff of another time, wherever they are stored. */
function backdated(id: string, to: Date): readonly string[] {
  const time = to.toISOString();
  const json = JSON.stringify(time);
  return [
    `update app.decision_documents set receipt = receipt || '{"submission_time": ${json}, "anchor_time": ${json}}',
       statement = jsonb_set(statement::jsonb, '{submission_time}', '${json}')::text where record_id = '${id}'`,
    ...sealedAnew(id, 'data_cutoff', json),
    `update app.decisions set (submission_time, anchor_time, data_cutoff, end_time) =
       ('${time}', '${time}', '${time}', '${time}'::timestamptz + interval '1 hour') where record_id = '${id}'`,
  ];
}

describe('a log that was written anew by the same key', () => {
  let kept: SavedReading | null;
  beforeAll(async () => {
    const { ports } = logged.service;
    ({ kept } = await auditOnly());
    await tamper(logged, ['truncate app.logs cascade', 'delete from app.log_pending']);
    await expect(logged.tick()).rejects.toThrow('The log is not what it was');
    expect(await logged.inside()).toContainEqual(expect.stringContaining('The log is not what it was'));
    // What a thief of key and machine can do.
    await resumeLog({ ...ports, ...logged.writer });
    await logged.tick();
    await logged.tick();
  });

  test('differs from what an auditor read before', async () => {
    if (!kept) throw new Error('The audit before kept nothing.');
    expect(failures((await auditOnly(kept)).lines)).toEqual([
      expect.stringMatching(/^FAILS +growth +\d+ leaves that you saw are gone: .*, and the log does not say so$/),
    ]);
  });

  test('gives another receipt than before', async () => {
    const { id, decision } = logged.held(0);
    const now = await logged.receipt(id, 'decision');
    expect(now).not.toBeNull();
    expect(now).not.toBe(decision);
    expect(failures(await logged.verify(decision))).toEqual([]);
  });
});

/** Without looking up decisions, of which many were changed by now. */
const auditOnly = (since?: SavedReading) => logged.outside({ sample: 0, ...(since && { since }) });
