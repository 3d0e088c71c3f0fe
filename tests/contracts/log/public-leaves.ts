import { beforeAll, expect, test } from '@jest/globals';
import { hexOf } from '../../../domain/log/encoding.ts';
import { loggedOutcome, publicStatement, withoutFacts } from '../../../domain/log/leaves/public-statement.ts';
import type { PublicLeaves } from '../../../domain/log/log-evidence.ts';
import type { LogStore, OutcomeSecrets } from '../../../domain/log/log-store.ts';
import { MOST_TILE_WIDTH } from '../../../domain/log/tree/tile.ts';
import { MINUTE, SECOND } from '../../../domain/time.ts';
import { keptLog, sequence, startNext } from '../../harness/kept-logs.ts';
import { race } from '../adapters.ts';
import type { Bench } from '../decisions/bench.ts';
import { evaluateAll } from '../decisions/evaluated.ts';

const GRADED = 300;

/** The promises of what everybody may open. */
export function publicLeavesContract(bench: Bench): void {
  const ids: string[] = [];
  const log = (): LogStore => bench.storage().log;
  const evidence = () => bench.storage().logEvidence;
  const run = async (limit?: number) => {
    await bench.arrange().advance(2 * MINUTE);
    await sequence(bench.storage(), limit === undefined ? {} : { limit });
  };
  const submitted = async (count: number) => {
    const agent = await bench.agent();
    const added: string[] = [];
    for (let i = 0; i < count; i += 1) added.push((await bench.accepted(agent)).record_id);
    ids.push(...added);
    return added;
  };
  const sizeOf = async () => (await keptLog(bench.storage())).size;
  const read = async (bundle: number, of = 1): Promise<PublicLeaves> => {
    const leaves = await evidence().publicLeaves(of, bundle);
    if (!leaves) throw new Error(`The bundle ${bundle} is not served.`);
    return leaves;
  };

  beforeAll(async () => {
    await submitted(GRADED);
    await run(90);
    await evaluateAll(bench);
    for (let i = 0; i < 8; i += 1) await run(90);
  });

  /** The same by the other promises of the stores. */
  async function expected(bundle: number, of = 1) {
    const size = (await log().published(of))?.size ?? 0;
    const from = bundle * MOST_TILE_WIDTH;
    const isIn = (index: number) => index >= from && index < Math.min(size, from + MOST_TILE_WIDTH);
    const leavesOf = await log().leavesOfEach(of, ids);
    const shown = (await bench.storage().decisions.find(ids, null)).flatMap((decision) => {
      const leaves = leavesOf.get(decision.record_id);
      return leaves && decision.lifecycle_state === 'evaluated' ? [{ decision, leaves }] : [];
    });
    const decisions = shown
      .filter(({ leaves }) => isIn(leaves.index))
      .map(({ decision, leaves: { index, public_salt, producer } }) => {
        return shownDecision(index, decision, { public_salt: hexOf(public_salt), producer: hexOf(producer) });
      });
    const outcomes = shown.flatMap(({ decision, leaves: { outcome } }) =>
      outcome && isIn(outcome.index) ? [loggedAt(outcome.index, decision, outcome)] : [],
    );
    const first = await log().firstWithEach(
      of,
      decisions.map(({ index }) => index),
    );
    const proving = new Map([...first.values()].map((each) => [`${each.log} ${each.size}`, each]));
    return {
      decisions: decisions.toSorted(byIndex),
      outcomes: outcomes.toSorted(byIndex),
      sizes: [...proving.values()].toSorted((a, b) => a.size - b.size).map((each) => [each.log, each.size]),
    };
  }

  async function actual(bundle: number, of = 1) {
    const leaves = await read(bundle, of);
    const decisions = leaves.decisions.map((each) => shownDecision(each.index, each.decision, each));
    const outcomes = leaves.outcomes.map(shownOutcome);
    return {
      decisions: decisions.toSorted(byIndex),
      outcomes: outcomes.toSorted(byIndex),
      sizes: leaves.checkpoints.map((each) => [each.log, each.size]),
    };
  }

  test('are all leaves of public decisions and their outcomes, bundle by bundle, with what opens them', async () => {
    expect(await sizeOf()).toBeGreaterThan(2 * MOST_TILE_WIDTH);
    let opened = 0;
    for (const bundle of [0, 1, 2]) {
      const shown = await actual(bundle);
      expect(shown).toEqual(await expected(bundle));
      opened += shown.decisions.length + shown.outcomes.length;
      const { leaves, checkpoints } = await read(bundle);
      expect([...leaves]).toEqual([...((await log().bundle(1, bundle)) ?? [])]);
      const { origin, key_id } = (await log().find(1)) ?? {};
      for (const checkpoint of checkpoints) expect(checkpoint).toMatchObject({ log: 1, origin, key_id });
    }
    expect(opened).toBe(2 * GRADED);
  });

  test('leave out what is quarantined, open, and not in the log', async () => {
    const [first = '', second = ''] = ids;
    for (const id of [first, second]) await bench.arrange().mark(id, { quarantine_reason: 'made up' });
    const [open = ''] = await submitted(1);
    await run();
    const opened = async () => {
      for (const bundle of [0, 1, 2]) expect(await actual(bundle)).toEqual(await expected(bundle));
      const bundles = [await read(0), await read(1), await read(2)];
      return {
        decisions: bundles.flatMap(({ decisions }) => decisions.map(({ decision }) => decision.record_id)),
        outcomes: bundles.flatMap(({ outcomes }) => outcomes.map(({ decision }) => decision.record_id)),
      };
    };
    const before = await opened();
    for (const each of [before.decisions, before.outcomes]) expect(each).toHaveLength(GRADED - 2);
    for (const id of [first, second, open]) expect([...before.decisions, ...before.outcomes]).not.toContain(id);
    const [fresh = ''] = await submitted(1);
    await evaluateAll(bench);
    const { decisions, outcomes } = await opened();
    // Its grade has no leaf yet.
    expect([decisions.includes(open), outcomes.includes(open)]).toEqual([true, false]);
    expect(decisions).not.toContain(fresh);
  });

  test('have the checkpoints of their proofs with every signature in its order, also before any quorum', async () => {
    await run();
    const before = await sizeOf();
    await submitted(2);
    await evaluateAll(bench);
    await run();
    const size = await sizeOf();
    expect(size).toBeGreaterThan(before);
    for (const name of ['w.test', 'a.test']) {
      await bench.arrange().advance(SECOND);
      await bench
        .storage()
        .signatures.addSignature(1, size, { name, id: '0000000a', signature: new Uint8Array(72).fill(7) });
    }
    const { checkpoints } = await read(2);
    const further = checkpoints
      .find((each) => each.size === size)
      ?.further.map(({ name, id, signature }) => [name, id, [...signature]]);
    expect(further).toEqual(['w.test', 'a.test'].map((name) => [name, '0000000a', [...new Uint8Array(72).fill(7)]]));
    await bench.storage().signatures.meetQuorum(1, before);
    for (const bundle of [0, 1, 2]) expect(await actual(bundle)).toEqual(await expected(bundle));
    expect((await read(0)).checkpoints.map((each) => each.size)).toEqual([before]);
    await bench.storage().signatures.meetQuorum(1, size);
    for (const bundle of [0, 1, 2]) expect(await actual(bundle)).toEqual(await expected(bundle));
  });

  test('never go beyond the published checkpoint, and are none of a bundle or a log that it does not reach', async () => {
    const size = await sizeOf();
    const added = await submitted(2);
    await evaluateAll(bench);
    await bench.arrange().advance(2 * MINUTE);
    await sequence(bench.storage(), { unsigned: true });
    expect(await sizeOf()).toBeGreaterThan(size);
    const { decisions, leaves } = await read(2);
    expect(Math.max(...decisions.map(({ index }) => index))).toBeLessThan(size);
    expect(decisions.filter(({ decision }) => added.includes(decision.record_id))).toEqual([]);
    expect(leaves.length).toBeGreaterThan(0);
    expect(await evidence().publicLeaves(1, 3)).toBeNull();
    expect(await evidence().publicLeaves(1, 10 ** 12)).toBeNull();
    expect(await evidence().publicLeaves(9, 0)).toBeNull();
    await sequence(bench.storage());
    await run();
    expect((await read(2)).decisions.filter(({ decision }) => added.includes(decision.record_id))).toHaveLength(2);
  });

  test('are of one moment: 20 readers see both leaves of a decision, or none, while decisions are quarantined', async () => {
    const racing = await submitted(20);
    await evaluateAll(bench);
    for (let i = 0; i < 3; i += 1) await run();
    const seen = await race(20, async (n) => {
      await bench.arrange().mark(racing[n] ?? '', { quarantine_reason: 'made up' });
      const { decisions, outcomes } = await read(2);
      const of = (leaves: readonly { readonly decision: { readonly record_id: string } }[]) =>
        leaves
          .map(({ decision }) => decision.record_id)
          .filter((id) => racing.includes(id))
          .toSorted();
      return [of(decisions), of(outcomes)];
    });
    for (const [decisions, outcomes] of seen) expect(decisions).toEqual(outcomes);
    expect(seen.some(([decisions]) => (decisions?.length ?? 0) < 20)).toBe(true);
  });

  test('of a log that goes on with another one have the checkpoints of both, and those of the first stay', async () => {
    const before = [await actual(0), await actual(1), await actual(2)];
    await startNext(bench.storage());
    await submitted(3);
    await run();
    await evaluateAll(bench);
    for (let i = 0; i < 3; i += 1) await run();
    for (const bundle of [0, 1, 2]) expect(await actual(bundle, 2)).toEqual(await expected(bundle, 2));
    expect([await actual(0, 2), await actual(1, 2)]).toEqual(before.slice(0, 2));
    const [first, last] = [before[2]?.sizes ?? [], (await actual(2, 2)).sizes];
    expect(last.slice(0, first.length)).toEqual(first);
    expect(last.slice(first.length).map(([number]) => number)).toContain(2);
    expect(await actual(2)).toEqual(before[2]);
    const [seen, next] = [before[2]?.sizes ?? [], await log().published(2)];
    const largest = Math.max(...seen.map(([, size]) => size ?? 0));
    await bench.storage().signatures.meetQuorum(2, next?.size ?? 0);
    // What no quorum had in the first log has that of the second one, and what one had there stays.
    for (const bundle of [0, 1, 2]) expect(await actual(bundle, 2)).toEqual(await expected(bundle, 2));
    expect([await actual(0, 2), await actual(1, 2)]).toEqual(before.slice(0, 2));
    expect(await log().firstWith(2, (next?.size ?? 0) - 1)).toMatchObject({ log: 2, size: next?.size });
    expect(await log().firstWith(2, largest)).toMatchObject({ log: 2, size: next?.size });
    expect(await log().firstWith(2, 0)).toMatchObject({ log: 1 });
  });
}

/** The public statement of a decision, with what its leaf has in addition. */
function shownDecision(
  index: number,
  decision: PublicLeaves['decisions'][number]['decision'],
  { public_salt, producer }: Pick<PublicLeaves['decisions'][number], 'public_salt' | 'producer'>,
) {
  const { commitment } = decision;
  const statement = publicStatement(decision);
  return { index, public_salt, producer, commitment, statement };
}

type Logged = {
  readonly [Name in keyof Parameters<typeof loggedOutcome>[0]]: Parameters<typeof loggedOutcome>[0][Name] | null;
};

/** The public outcome of a graded decision, with its salt. */
function loggedAt(
  index: number,
  { evaluated_at, result_bucket, facts, created_regime }: Logged,
  { outcome_salt, evidence, shown }: OutcomeSecrets,
) {
  if (!evaluated_at || !result_bucket || !facts) throw new Error('The grade is gone.');
  const logged = loggedOutcome({ evaluated_at, result_bucket, facts, created_regime }, evidence, shown);
  return { index, outcome_salt: hexOf(outcome_salt), logged };
}

/** The same as everybody may read it: its facts are one line of JSON. */
function shownOutcome({ index, outcome_salt, evidence, facts, decision }: PublicLeaves['outcomes'][number]) {
  const { evaluated_at, result_bucket, created_regime } = decision;
  if (!evaluated_at || !result_bucket || facts === null) throw new Error('The grade is gone.');
  expect(facts).not.toContain('\n');
  const logged = {
    ...withoutFacts({ evaluated_at, result_bucket, created_regime }, evidence),
    outcome: JSON.parse(facts),
  };
  return { index, outcome_salt, logged };
}

function byIndex(a: unknown, b: unknown): number {
  return (a as { readonly index: number }).index - (b as { readonly index: number }).index;
}
