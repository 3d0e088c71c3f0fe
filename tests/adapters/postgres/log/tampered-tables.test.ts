import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { canonicalJson } from '../../../../adapters/formats/canonical-json.ts';
import { learnNames } from '../../../../application/market/names.ts';
import { DAY } from '../../../../domain/time.ts';
import { aSubmission } from '../../../builders/decisions.ts';
import { aStatement } from '../../../builders/names.ts';
import { type LoggedService, loggedService } from './logged-service.ts';
import { newFaults, tamper } from './tamper.ts';

let logged: LoggedService;
beforeAll(async () => {
  logged = await loggedService(2);
  await logged.service.ports.datasets.make('2026-03', async (_, write) => {
    await write('SHA256SUMS', Buffer.from(`${'0f'.repeat(32)}  decisions.jsonl\n`));
    return [];
  });
  await learnNames({ ...logged.service.ports, canonicalJson }, [aStatement({ name: 'FB', key: 'META' })], 'test');
  // The leaf of the head is the last one.
  await logged.tick();
  await logged.service.ports.audit.append({ actor: 'ada', action: 'tried', subject: 'something', detail: {} });
  await logged.tick(DAY);
});
afterAll(() => logged.close());

/** Changes one bit of bytes, and changes it back when it runs again. */
const flipped = (table: string, column: string, where = 'true') =>
  `update app.${table} set ${column} = set_byte(${column}, 20, get_byte(${column}, 20) # 1) where ${where}`;
const largest = 'size = (select max(size) from app.log_checkpoints)';
const first = 'index = (select min(index) from app.log_decisions)';

/** What `check-evidence` says of a change of the tables of the log, and what takes the change back. */
const CHANGES: readonly (readonly [change: string, fault: RegExp, back?: string])[] = [
  [flipped('log_tiles', 'hashes'), /^tile 0\/0 of \S+: its hashes are not those of the leaves$/],
  [flipped('log_bundles', 'leaves'), /^checkpoint of \d+ leaves of \S+: its root is \w+, and its leaves have \w+$/],
  [
    flipped('log_checkpoints', 'root', largest),
    /^checkpoint of \d+ leaves of \S+: its root is \w+, and its leaves have/,
  ],
  [flipped('log_checkpoints', 'signature', largest), /^checkpoint of \d+ leaves of \S+: its signature is not that of/],
  [
    `insert into app.log_signatures (log, size, name, key_id, signature)
      select c.log, c.size, l.origin, l.key_id, sha512(c.signature) from app.log_checkpoints c join app.logs l using (log) where ${largest}`,
    /^checkpoint of \d+ leaves of \S+: its signature is not that of/,
    'delete from app.log_signatures',
  ],
  [
    `with kept as (insert into app.log_signatures (log, size, name, key_id, signature)
        select log, size, 'witness.test', 'ffffffff', signature from app.log_checkpoints where ${largest})
      update app.log_checkpoints set signature = null where ${largest}`,
    /^checkpoint of \d+ leaves of \S+: it has cosignatures, and no signature of the log$/,
    `with kept as (delete from app.log_signatures returning log, size, signature)
      update app.log_checkpoints c set signature = k.signature from kept k where (k.log, k.size) = (c.log, c.size)`,
  ],
  [
    flipped('log_decisions', 'public_salt', first),
    /^leaf \d+ of \S+: dec_\w+ has another commitment, public statement/,
  ],
  [
    flipped('log_decisions', 'producer', first),
    /^leaf \d+ of \S+: dec_\w+ has another owner, agent, number or salt than/,
  ],
  [flipped('log_outcomes', 'outcome_salt'), /^leaf \d+ of \S+: dec_\w+ has another outcome than was logged$/],
  [flipped('log_outcomes', 'evidence_salt'), /^leaf \d+ of \S+: dec_\w+ has another document of evidence than was/],
  [flipped('log_heads', 'salt'), /^leaf \d+ of \S+: the head of the audit log of [\d-]+ is another than was logged$/],
  [
    flipped('dataset_parts', 'content'),
    /^leaf \d+ of \S+: the public snapshot of 2026-03 has another SHA256SUMS than was logged$/,
  ],
  [
    'update app.log_datasets set index = index + 1000',
    /^leaf \d+ of \S+: no public snapshot has it$/,
    'update app.log_datasets set index = index - 1000',
  ],
  [
    `update app.names set line = replace(line, '2012-05-18', '2012-05-17')`,
    /^leaf \d+ of \S+: the statements about names of \S+ are others than were logged$/,
    `update app.names set line = replace(line, '2012-05-17', '2012-05-18')`,
  ],
  [
    'update app.log_names set index = index + 1000',
    /^leaf \d+ of \S+: no statements about names have it$/,
    'update app.log_names set index = index - 1000',
  ],
  [
    `update app.log_decisions set index = index + 1000 where ${first}`,
    /^dec_\w+: its leaf 10\d\d is not that of a decision$/,
    'update app.log_decisions set index = index - 1000 where index >= 1000',
  ],
  [
    'update app.log_heads set index = 0 where index = (select max(index) from app.log_heads)',
    /^leaf \d+ of \S+: no head of the audit log has it$/,
    'update app.log_heads set index = (select max(size) - 1 from app.log_checkpoints) where index = 0',
  ],
  [
    `update app.log_outcomes set shown = shown || '{"z": 9}'`,
    /^leaf \d+ of \S+: dec_\w+ has another outcome than was logged$/,
    `update app.log_outcomes set shown = shown - 'z'`,
  ],
];

test.each(CHANGES)('check-evidence names %s', async (change, fault, back = change) => {
  expect(await newFaults(logged, () => tamper(logged, [change]))).toContainEqual(expect.stringMatching(fault));
  await tamper(logged, [back]);
  expect(await logged.inside()).toEqual([]);
});

test('check-evidence names a decision, and an outcome, that was kept out of the log', async () => {
  const [id] = logged.ids;
  const submitted = await logged.agent.submit(aSubmission(await logged.service.ports.clock.now()));
  expect(await logged.inside()).toEqual([]);
  await tamper(logged, ['delete from app.log_pending', `delete from app.log_outcomes where record_id = '${id}'`]);
  const faults = await logged.inside();
  expect(faults).toContain(`${submitted.body.record_id}: it has no leaf, and none is pending`);
  expect(faults).toContainEqual(expect.stringMatching(/^leaf \d+ of \S+: no outcome has it$/));
});

test('check-evidence names the leaves that are gone', async () => {
  await tamper(logged, ['delete from app.log_bundles']);
  expect(await logged.inside()).toContainEqual(
    expect.stringMatching(/^entry bundle 0 of \S+: \d+ of its leaves are gone; the leaves after it were not checked$/),
  );
});
