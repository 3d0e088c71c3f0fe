import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { quarantineDecision } from '../../../../application/decisions/moderate-decision.ts';
import type { SavedReading } from '../../../../clients/typescript/verify/saved-reading.ts';
import { DAY, HOUR, MINUTE } from '../../../../domain/time.ts';
import { aSubmission } from '../../../builders/decisions.ts';
import { aPastCall, gradedCalls } from '../../../harness/cohorts.ts';
import { type LoggedService, loggedService } from './logged-service.ts';
import { failures, tamper } from './tamper.ts';

// Who runs the service has every right and every key, also that of the witness in these tests.
const COUNT = 6;
let logged: LoggedService;
beforeAll(async () => {
  logged = await loggedService(COUNT, true);
});
afterAll(() => logged.close());

/** The lines of an audit that opens everything. @param openings changes what is served */
async function audited(since?: SavedReading, openings?: (text: string) => string) {
  const { lines, kept } = await logged.outside({ all: {}, ...(since && { since }), ...(openings && { openings }) });
  const of = (subject: string) => lines.find((line) => line.slice(12).startsWith(`${subject} `)) ?? '';
  return { lines, kept, decisions: of('decisions'), order: of('order'), time: of('time') };
}

/** Replaces the line of the opening of a leaf. */
const replaced = (index: number, by: (line: string, all: readonly string[]) => string) => (text: string) => {
  const lines = text.split('\n');
  return lines.map((line) => (line.startsWith(`{"index":${index},`) ? by(line, lines) : line)).join('\n');
};

test('everything is opened before anything is changed: all graded ones, with their order and times', async () => {
  const { lines, decisions, order, time } = await audited();
  expect(failures(lines)).toEqual([]);
  expect(decisions).toMatch(
    /^holds +decisions +0 of 6 missing or altered: all graded ones were opened; not opened: 0 open, 0 of them for longer than 380 days, 0 closed$/,
  );
  expect(order).toMatch(/^holds +order +6 opened decisions were logged in the order of their minutes$/);
  expect(time).toMatch(/^not checked +time +no realtime decision was opened$/);
});

test.each([
  [
    'bucket',
    (id: string) =>
      ['decisions', 'decision_outcomes'].map(
        (table) => `update app.${table} set result_bucket = 'strong_correct' where record_id = '${id}'`,
      ),
    (id: string, before: string) =>
      ['decisions', 'decision_outcomes'].map(
        (table) => `update app.${table} set result_bucket = '${before}' where record_id = '${id}'`,
      ),
  ],
  [
    'direction',
    (id: string) => [`update app.decisions set direction = 'neutral' where record_id = '${id}'`],
    (id: string) => [`update app.decisions set direction = 'bullish' where record_id = '${id}'`],
  ],
])('a changed row: %s', async (_, change, back) => {
  const graded = await Promise.all(logged.ids.map(async (id, n) => ({ n, body: (await logged.agent.read(id)).body })));
  const { n, body } = graded.find(({ body: each }) => each.result_bucket !== 'strong_correct') ?? { n: 0, body: {} };
  const { id } = logged.held(n);
  await tamper(logged, change(id));
  const { decisions, kept } = await audited();
  expect(decisions).toMatch(
    /^FAILS +decisions +1 of 6 missing or altered; leaf \d+: the opening is not that of the leaf$/,
  );
  expect(kept).toBeNull();
  await tamper(logged, back(id, body.result_bucket));
  expect(failures((await audited()).lines)).toEqual([]);
});

test('an opening of another record, in place of a loser: its leaf is another one', async () => {
  const [loser, winner] = [logged.held(1), logged.held(2)];
  const other = replaced(loser.index, (_, lines) => {
    const shown = lines.find((line) => line.startsWith(`{"index":${winner.index},`)) ?? '';
    return shown.replace(`"index":${winner.index}`, `"index":${loser.index}`);
  });
  const { decisions } = await audited(undefined, other);
  expect(decisions).toMatch(
    new RegExp(
      `^FAILS +decisions +1 of 6 missing or altered; leaf ${loser.index}: the opening is that of another leaf$`,
    ),
  );
});

test('an opening of another record, in the database: rows of the log that point to each other’s leaves', async () => {
  const swap = `update app.log_decisions l set public_salt = o.public_salt, producer = o.producer, record_id = o.record_id
    from (select * from app.log_decisions) o where o.index = (case l.index when ${logged.held(1).index}
      then ${logged.held(2).index} when ${logged.held(2).index} then ${logged.held(1).index} end)`;
  const constrained = [
    'alter table app.log_decisions drop constraint log_decisions_pkey',
    swap,
    'alter table app.log_decisions add constraint log_decisions_pkey primary key (record_id, log)',
  ];
  await tamper(logged, constrained);
  expect((await audited()).decisions).toMatch(
    /^FAILS +decisions +2 of 6 missing or altered; leaf \d+: the opening is not that of the leaf$/,
  );
  await tamper(logged, constrained);
  expect(failures((await audited()).lines)).toEqual([]);
});

test('an opening twice, and one of a leaf of another bundle, are no openings', async () => {
  const { index } = logged.held(1);
  expect(
    (
      await audited(
        undefined,
        replaced(index, (line) => `${line}\n${line}`),
      )
    ).decisions,
  ).toContain(`leaf ${index}: it is opened twice`);
  const far = await audited(
    undefined,
    replaced(index, (line) => line.replace(`"index":${index}`, '"index":300')),
  );
  expect(failures(far.lines)).toEqual([expect.stringMatching(/^FAILS +form +Line \d+ is not that of a leaf of the/)]);
});

test('a checkpoint that is left out fails: nobody could say when its decisions were there', async () => {
  const without = (text: string) =>
    text
      .split('\n')
      .filter((line) => !line.startsWith('{"note"'))
      .join('\n');
  expect((await audited(undefined, without)).decisions).toMatch(
    /^FAILS +decisions +6 of 6 missing or altered; leaf \d+: the checkpoint of its proof is missing$/,
  );
});

test('a missing opening of a graded leaf waits a day for a leaf that closes it, and fails then', async () => {
  const { id, index } = logged.held(3);
  const before = await audited();
  await tamper(logged, [`update app.decisions set lifecycle_state = 'verified' where record_id = '${id}'`]);
  const first = await audited(before.kept ?? undefined);
  expect(first.decisions).toMatch(
    new RegExp(`^not checked +decisions +1 of 6 not shown, such as leaf ${index}: .*, 0 closed, 1 graded$`),
  );
  expect([...(first.kept?.missing ?? [])]).toEqual([[index, expect.any(Number)]]);
  await logged.tick(DAY + 20 * MINUTE);
  const second = await audited(first.kept ?? undefined);
  expect(second.decisions).toMatch(
    new RegExp(`^FAILS +decisions +1 of 6 .*leaf ${index} is graded, not shown for a day, and not closed$`),
  );
  await tamper(logged, [`update app.decisions set lifecycle_state = 'evaluated' where record_id = '${id}'`]);
  expect(failures((await audited(first.kept ?? undefined)).lines)).toEqual([]);
});

test('a quarantine fails nothing: it is not checked until its leaf closes the decision, within a day', async () => {
  const { id } = logged.held(4);
  const before = await audited();
  await quarantineDecision(logged.service.ports, id, 'a stolen key', 'test');
  const during = await audited(before.kept ?? undefined);
  expect(during.decisions).toMatch(/^not checked +decisions +1 of 6 not shown, /);
  expect(failures(during.lines)).toEqual([]);
  for (let hour = 0; hour < 25; hour += 1) await logged.tick(HOUR);
  const after = await audited(during.kept ?? undefined);
  expect(failures(after.lines)).toEqual([]);
  expect(after.decisions).toMatch(/^holds +decisions +0 of 5 .*; not opened: 0 open, .*, 1 closed$/);
});

test('a leaf that is held back is found by its order, whichever it is', async () => {
  const before = await audited();
  const [held = ''] = await gradedCalls(logged.service, [logged.agent], [aPastCall(40)]);
  const later = new Date((await logged.service.ports.clock.now()).getTime() + 20 * MINUTE).toISOString();
  await tamper(logged, [`update app.log_pending set ready_at = '${later}' where record_id = '${held}'`]);
  await logged.tick(10 * MINUTE);
  await gradedCalls(logged.service, [logged.agent], [aPastCall(41)]);
  for (const wait of [2, 2, 20, 2, 2]) await logged.tick(wait * MINUTE);
  const { order, kept } = await audited(before.kept ?? undefined);
  expect(order).toMatch(/^FAILS +order +leaf \d+ is of \S+, after leaf \d+ of \S+: it was held back, or backdated$/);
  expect(kept).toBeNull();
});

test('open decisions are counted, and those that no window explains', async () => {
  const count = async () => (await audited()).decisions;
  const now = await logged.service.ports.clock.now();
  const { status } = await logged.agent.submit(aSubmission(now, { horizon_kind: 'trading_days', horizon_value: 60 }));
  expect(status).toBe(201);
  await logged.tick();
  expect(await count()).toContain('not opened: 1 open, 0 of them for longer than 380 days, 1 closed');
  await gradedCalls(logged.service, [logged.agent], [aPastCall(42)]);
  await logged.tick();
  await logged.tick(381 * DAY);
  expect(await count()).toContain('not opened: 1 open, 1 of them for longer than 380 days, 1 closed');
});
