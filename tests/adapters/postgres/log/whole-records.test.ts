import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { quarantineDecision } from '../../../../application/decisions/moderate-decision.ts';
import { verifyRecord } from '../../../../clients/typescript/verify/record-proof.ts';
import { DAY, MINUTE } from '../../../../domain/time.ts';
import { aSubmission } from '../../../builders/decisions.ts';
import { type LoggedService, loggedService, recordFile as recordFileOf } from './logged-service.ts';
import { newFaults, tamper } from './tamper.ts';

let logged: LoggedService;
const GRADED = 6;

const recordFile = () => recordFileOf(logged);

const NO_LOG = { served: null, stamps: null };
const verified = (file: string) => verifyRecord(file, logged.policy, { served: logged.served, stamps: null });
const whole = async (file: string) => (await verified(file)).whole;

async function submitted(): Promise<string> {
  const now = await logged.service.ports.clock.now();
  const { body } = await logged.agent.submit(aSubmission(now));
  await logged.tick();
  return body.record_id;
}

/** The file without the lines of these numbers, as somebody who edits it would leave it. */
function without(file: string, ...numbers: readonly number[]): string {
  const lines = file.trimEnd().split('\n');
  const kept = lines.filter((each) => !numbers.includes(JSON.parse(each).producer?.number));
  const end = { ...JSON.parse(kept.at(-1) ?? ''), decisions: kept.length - 2 };
  return [...kept.slice(0, -1), JSON.stringify(end), ''].join('\n');
}

beforeAll(async () => {
  logged = await loggedService(GRADED);
});
afterAll(() => logged.close());

describe('a whole record', () => {
  let file: string;
  beforeEach(async () => {
    file = await recordFile();
  });

  test('is proved: all numbers, each mark once, that of the next nowhere', async () => {
    const { lines, whole: words, drawn } = await verified(file);
    expect(words).toMatch(/^proved: 6 of 6 decisions of agt_\w+, to leaf \d+: 0 graded 0\/0\/0\/0, 6 retroactive /);
    expect(lines.filter(({ verdict }) => verdict === 'FAILS')).toEqual([]);
    expect(drawn).toMatch(/^[#+=-]{6}$/);
  });

  test('without the log later decisions are not seen, and without a policy nobody signed it', async () => {
    expect((await verifyRecord(file, logged.policy, NO_LOG)).whole).toBe('not proved: later ones are not seen');
    expect((await verifyRecord(file, null, { served: logged.served, stamps: null })).whole).toBe(
      'not proved: the signature was not checked',
    );
  });

  test('fails without its newest decision, which is logged', async () => {
    expect(await whole(without(file, GRADED))).toBe(`FAILS: number ${GRADED} is logged and not shown`);
  });

  test('fails without a number in between, and without the first', async () => {
    expect(await whole(without(file, 3))).toBe('FAILS: number 3 is logged and not shown');
    expect(await whole(without(file, 2, 3))).toBe('FAILS: number 2 is logged and not shown');
    expect(await whole(without(file, 1))).toBe('FAILS: number 1 is not shown');
  });

  test('fails when it is cut, or a line is there twice or changed', async () => {
    expect(await whole(file.slice(0, file.length / 2))).toMatch(/^FAILS: /);
    const [head = '', first = '', ...rest] = file.split('\n');
    const twice = [head, first, first, ...rest].join('\n').replace('"decisions":6', '"decisions":7');
    expect(await whole(twice)).toMatch(/^FAILS: number \d is given twice$/);
    const other = file.replace('"number":6', '"number":7');
    expect(await whole(other)).toBe('FAILS: number 7 does not open its leaf');
    const bearish = file.replace('"direction":"bullish"', '"direction":"bearish"');
    expect(await whole(bearish)).toMatch(/^FAILS: number \d does not open its leaf$/);
  });

  test('shows a decision that others do not see as a digest alone, and says when a later one was logged', async () => {
    const id = await submitted();
    const later = await recordFile();
    expect(await whole(file)).toMatch(
      new RegExp(
        `^not proved: number ${GRADED + 1} was logged after this file was made, at leaf \\d+; ask for a newer`,
      ),
    );
    expect(await whole(later)).toMatch(/^proved: 7 of 7 decisions .* 1 open, 0 closed$/);
    const [, newest = ''] = later.split('\n');
    expect(JSON.parse(newest)).toMatchObject({ producer: { number: 7 }, public_digest: expect.any(String) });
    for (const hidden of [id, 'bullish', logged.agent.owner_id]) expect(newest).not.toContain(hidden);
  });

  test('names a grade that was quarantined until its leaf closes it', async () => {
    const { id } = logged.held(0);
    const { ports } = logged.service;
    await quarantineDecision(ports, id, 'a test', 'ada');
    expect(await whole(await recordFile())).toMatch(/^not proved: the grade of the number 1 is logged and not shown/);
    await logged.tick(DAY + 2 * MINUTE);
    expect(await whole(await recordFile())).toMatch(
      /^proved: .* 1 closed by reason \(1 quarantined; 1 after a grade\)$/,
    );
  });
});

describe('somebody who can change all tables', () => {
  const next = async () => Number((await recordFile()).match(/"number":(\d+)/)?.[1]) + 1;

  test('gives a number twice: its mark is in the log twice', async () => {
    const number = await next();
    await submitted();
    await tamper(logged, [
      `update app.agent_submissions set number = number - 1 where agent_id = '${logged.agent.agent_id}'`,
    ]);
    const loser = await submitted();
    const file = await recordFile();
    expect(await whole(file)).toBe(`FAILS: number ${number} is given twice`);
    await removed(loser);
    expect(await whole(await recordFile())).toMatch(
      new RegExp(`^FAILS: number ${number} is logged 2 times, at \\d+, \\d+$`),
    );
  });

  test('drops the losing twin from all tables: its number is logged and not shown', async () => {
    const number = await next();
    const fresh = await loggedService(2);
    await logged.close();
    logged = fresh;
    const loser = await submitted();
    await submitted();
    expect(await newFaults(logged, () => removed(loser))).not.toEqual([]);
    expect(number).toBeGreaterThan(2);
    expect(await whole(await recordFile())).toBe('FAILS: number 3 is logged and not shown');
  });

  test('never logs a decision that was numbered: its number is missing', async () => {
    await logged.close();
    logged = await loggedService(1);
    const now = await logged.service.ports.clock.now();
    const { body } = await logged.agent.submit(aSubmission(now));
    await removed(body.record_id);
    await submitted();
    expect(await whole(await recordFile())).toBe('FAILS: number 2 is not shown, and the log does not have it');
  });
});

/** Removes a decision from all tables. */
function removed(record_id: string): Promise<void> {
  const tables = [
    ...['log_decisions', 'log_outcomes', 'log_pending', 'cohort_tail', 'outcome_evidence', 'decision_outcomes'],
    ...['decision_relations', 'decision_documents', 'decisions'],
  ];
  return tamper(
    logged,
    tables.map((table) => `delete from app.${table} where record_id = '${record_id}'`),
  );
}
