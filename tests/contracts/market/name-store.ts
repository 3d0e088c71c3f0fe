import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { canonicalJson } from '../../../adapters/formats/canonical-json.ts';
import { checkLog } from '../../../application/log/check-log.ts';
import { learnNames, newestNames, withdrawName } from '../../../application/market/names.ts';
import { type NameStatement, nameLine } from '../../../domain/market/name-statement.ts';
import { MINUTE } from '../../../domain/time.ts';
import { aDraft, aSubmission, NO_LIMITS, receiptOf } from '../../builders/decisions.ts';
import { aStatement, FACEBOOK } from '../../builders/names.ts';
import { keptLog, sequence } from '../../harness/kept-logs.ts';
import { race } from '../adapters.ts';
import type { Bench, DecisionContract } from '../decisions/bench.ts';

/** The promises of the store of statements about names, and of their leaves. */
export const nameStoreContract: DecisionContract = {
  name: 'names',
  promises(bench) {
    describe('an import', () => importTests(bench));
    describe('what the storage refuses', () => refusalTests(bench));
    describe('a submission', () => submissionTests(bench));
    describe('the leaf of an import', () => leafTests(bench));
  },
};

/** Statements of a name of their own, since all tests share one storage. */
let made = 0;
const newName = () => {
  made += 1;
  return `Z${made}`;
};
const aReuse = (said: Partial<NameStatement> = {}) => {
  const name = newName();
  return aStatement({ name, key: `${name}~2`, kind: 'reused', ...said });
};
const fiveOf = (tag: string) =>
  FACEBOOK.map((each) => ({ ...each, name: `${each.name}${tag}`, key: `${each.key}${tag}` }));
const newest = async (bench: Bench) => (await newestNames(bench.storage().names)).newest;
const ports = (bench: Bench) => ({ ...bench.storage(), canonicalJson });
const learn = (bench: Bench, ...said: readonly NameStatement[]) => learnNames(ports(bench), said, 'test');

function importTests(bench: Bench): void {
  test('is numbered without gaps, learned at one time, and read in its order', async () => {
    await bench.arrange().advance(MINUTE);
    const first = (await newest(bench)) + 1;
    const { learned } = await learn(bench, ...fiveOf(newName()));
    const now = await bench.now();
    expect(learned.map(({ id, learned_at }) => [id - first, learned_at])).toEqual(
      [0, 1, 2, 3, 4].map((id) => [id, now]),
    );
    const lines = learned.map((each) => ({ id: each.id, line: canonicalJson(nameLine(each)) }));
    expect(await bench.storage().names.after(first - 1)).toEqual(lines);
    expect(await bench.storage().names.after(first + 2)).toEqual(lines.slice(3));
    expect(await newest(bench)).toBe(first + 4);
    expect(await bench.storage().audit.list({ action: 'import_names' }, 1)).toMatchObject([
      { actor: 'test', subject: 'names', detail: { statements: 5, first } },
    ]);
  });

  test('learns what is new alone, each import at a time of its own', async () => {
    const [five, other] = [fiveOf(newName()), aReuse()];
    const before = await learn(bench, ...five);
    const again = await learn(bench, ...five, other);
    expect(again).toMatchObject({ learned: [{ id: (before.learned[4]?.id ?? 0) + 1, name: other.name }], known: 5 });
    expect(again.learned[0]?.learned_at.getTime()).toBeGreaterThan(before.learned[0]?.learned_at.getTime() ?? 0);
    expect(await learn(bench, other)).toEqual({ learned: [], known: 1, recounted: 0 });
  });

  test('learns nothing where one statement is refused, and says what to send', async () => {
    const { learned } = await learn(bench, aReuse());
    const [{ id, name }] = learned as [(typeof learned)[number]];
    const wrong = aStatement({ name, from: '2022-06-10', key: name });
    await expect(learn(bench, aReuse(), wrong)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ path: 'line 2', message: expect.stringContaining(`withdraw ${id} first`) }],
    });
    expect(await newest(bench)).toBe(id);
  });

  test('a withdrawn statement stays, does not apply, and can be stated again', async () => {
    const other = aReuse();
    await learn(bench, other);
    const id = await newest(bench);
    await withdrawName(ports(bench), id, 'test');
    const book = await newestNames(bench.storage().names);
    expect(book.statements.slice(-2).map((each) => [each.id, each.withdraws])).toEqual([
      [id, undefined],
      [id + 1, id],
    ]);
    expect(book.knowsName('stock', other.name)).toBe(false);
    await expect(withdrawName(ports(bench), id, 'test')).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await expect(withdrawName(ports(bench), id + 1, 'test')).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(await learn(bench, other)).toMatchObject({ learned: [{ id: id + 2 }] });
  });

  test('imports at once follow each other', async () => {
    const before = await newest(bench);
    await race(8, async () => learn(bench, aReuse()));
    const statements = (await newestNames(bench.storage().names)).statements.slice(before);
    expect(statements.map(({ id }) => id - before)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(new Set(statements.map(({ learned_at }) => learned_at.getTime())).size).toBe(8);
  });
}

function refusalTests(bench: Bench): void {
  const names = () => bench.storage().names;
  /** A line that is learned now, or so many milliseconds later. */
  const line = async (later: number, said: object) =>
    canonicalJson({
      ...nameLine({ ...aReuse(), id: 0, learned_at: new Date((await bench.now()).getTime() + later) }),
      ...said,
    });
  const add = async (id: number, later = 0, said: object = {}) => names().add([{ id, line: await line(later, said) }]);

  test('a gap in the numbers, a number twice, and a time that is not now', async () => {
    await bench.arrange().advance(MINUTE);
    const next = (await newest(bench)) + 1;
    await expect(add(next + 1)).rejects.toThrow(/refused: its numbers do not follow/);
    await expect(add(next, -2 * MINUTE)).rejects.toThrow(/refused: (it is not learned now|statements were learned)/);
    await expect(add(next, 2 * MINUTE)).rejects.toThrow(/it is not learned now/);
    await add(next);
    await expect(add(next)).rejects.toThrow();
    await expect(add(next + 1)).rejects.toThrow(/statements were learned at/);
    expect(await names().after(next - 1)).toHaveLength(1);
  });

  test('a second statement of one source about one name on one date', async () => {
    await bench.arrange().advance(MINUTE);
    const next = (await newest(bench)) + 1;
    const name = newName();
    await add(next, 0, { name });
    await expect(add(next + 1, 1, { name, from: '2020-01-01' })).rejects.toThrow(/refused/);
    await add(next + 1, 1, { name, source: { kind: 'vendor', name: 'lists' } });
  });

  test('a withdrawal of what does not stand', async () => {
    await bench.arrange().advance(MINUTE);
    const next = (await newest(bench)) + 1;
    await add(next);
    await add(next + 1, 1, { withdraws: next });
    await expect(add(next + 2, 2, { withdraws: next })).rejects.toThrow();
    await expect(add(next + 2, 2, { withdraws: next + 1 })).rejects.toThrow();
    await expect(add(next + 2, 2, { withdraws: next + 7 })).rejects.toThrow();
  });
}

function submissionTests(bench: Bench): void {
  test('planned before the newest statement is planned again, and one planned after it is accepted with its name', async () => {
    const agent = await bench.agent();
    await learn(bench, aReuse());
    const now = await bench.now();
    const draft = { ...aDraft(agent, now, aSubmission(now), { limits: NO_LIMITS }), name: 'XBT' };
    const { intake, decisions } = bench.storage();
    expect(await intake.submit({ ...draft, names: (await newest(bench)) - 1 })).toMatchObject({ verdict: 'replan' });
    const { record_id } = receiptOf(await intake.submit({ ...draft, names: await newest(bench) }));
    const [stored] = await decisions.find([record_id], agent.owner_id);
    expect(stored).toMatchObject({ symbol: 'BTC', name: 'XBT' });
  });
}

function leafTests(bench: Bench): void {
  const log = async () => {
    await bench.arrange().advance(2 * MINUTE);
    return sequence(bench.storage());
  };
  const faults = async () => {
    const found: string[] = [];
    await checkLog(ports(bench), null, (about, each) => found.push(...each.map((fault) => `${about}: ${fault}`)));
    return found;
  };

  test('is SHA-256 of its lines, once; those from before the first log have one, too', async () => {
    await log();
    await log();
    await bench.arrange().advance(MINUTE);
    const before = await newest(bench);
    const logged = (await bench.storage().log.names()).length;
    await learn(bench, ...fiveOf(newName()));
    await learn(bench, aReuse());
    expect(await bench.storage().log.unloggedNames()).toHaveLength(2);
    expect([await log(), await log()]).toEqual([2, 0]);
    const lines = (await bench.storage().names.after(before)).map((each) => `${each.line}\n`);
    const sums = [lines.slice(0, 5), lines.slice(5)].map((part) =>
      createHash('sha256').update(part.join('')).digest('hex'),
    );
    const { leaves } = await keptLog(bench.storage());
    const named = leaves.flatMap((leaf) => (leaf.t === 'names' ? [leaf.sha256] : []));
    expect(named).toHaveLength(logged + 2);
    expect(named).toEqual(expect.arrayContaining(sums));
    expect(await bench.storage().log.names()).toHaveLength(logged + 2);
    expect(await faults()).toEqual([]);
  });
}
