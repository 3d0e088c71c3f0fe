import { beforeAll, describe, expect, test } from '@jest/globals';
import { UNAVAILABILITIES } from '../../../domain/grading/evaluation.ts';
import { LEAF_STATE, leafAudit } from '../../../domain/log/leaves/leaf-audit.ts';
import type { Instrument } from '../../../domain/market/instrument.ts';
import { DAY } from '../../../domain/time.ts';
import { NO_LIMITS, receiptOf } from '../../builders/decisions.ts';
import { keptLog, sequence } from '../../harness/kept-logs.ts';
import type { Bench } from '../decisions/bench.ts';
import { endOf, FAR } from '../decisions/evaluated.ts';
import { found } from '../decisions/intake-acceptance.ts';

/** Moves of a decision from its submission on, and the state of its leaf after them. */
const PATHS = [
  ['open', []],
  ['open', ['verify']],
  ['graded', ['verify', 'grade']],
  ['closedOpen', ['reject']],
  ['closedOpen', ['verify', 'giveUp']],
  ['closedOpen', ['quarantine']],
  ['closedOpen', ['reject', 'quarantine']],
  ['closedOpen', ['verify', 'giveUp', 'quarantine']],
  ['closedGraded', ['verify', 'grade', 'quarantine']],
  ['graded', ['verify', 'grade', 'quarantine', 'release']],
  ['closedGraded', ['verify', 'grade', 'quarantine', 'release', 'quarantine']],
  ['open', ['quarantine', 'release']],
  ['graded', ['quarantine', 'release', 'verify', 'grade']],
  ['graded', ['quarantine', 'release', 'verify', 'grade', 'quarantine', 'release']],
  ['open', ['reject', 'quarantine', 'release']],
  ['closedOpen', ['reject', 'quarantine', 'release', 'reject']],
  ['graded', ['reject', 'revive', 'verify', 'grade']],
  ['closedOpen', ['reject', 'revive', 'reject']],
  ['graded', ['verify', 'giveUp', 'revive', 'grade']],
  ['closedOpen', ['verify', 'giveUp', 'revive', 'giveUp', 'quarantine']],
  ['graded', ['verify', 'giveUp', 'quarantine', 'release', 'verify', 'grade']],
] as const;

type Move = (typeof PATHS)[number][1][number];

/** Every way that a decision can go passes the rules of leaves. */
export function lifecyclePathsContract(bench: Bench): void {
  /** After each batch. */
  const sizes: number[] = [0];
  describe.each([
    ['all moves before the next batch', false],
    ['a batch after each move', true],
  ])('%s', (_, isInterleaved) => {
    const batch = async () => {
      await bench.arrange().advance(DAY + 60_000);
      await sequence(bench.storage());
      sizes.push((await keptLog(bench.storage())).size);
    };
    const records = new Map<string, string>();
    beforeAll(async () => {
      await batch();
      const agent = await bench.agent();
      for (const [n, [, moves]] of PATHS.entries()) {
        const symbol = `${isInterleaved ? 'I' : 'A'}${n}`;
        const draft = await bench.hindsight(agent, { symbol }, { limits: NO_LIMITS });
        const { record_id } = receiptOf(await bench.storage().intake.submit(draft));
        records.set(moves.join(), record_id);
        for (const move of moves) {
          if (isInterleaved) await batch();
          await make(bench, record_id, move);
        }
      }
      while (sizes.at(-1) !== sizes.at(-3)) await batch();
    });

    test.each(PATHS)('a decision is %s after %j', async (state, moves) => {
      const audit = leafAudit();
      const { bytes } = await keptLog(bench.storage());
      const starts = sizes.flatMap((size, i) => Array(size - (sizes[i - 1] ?? 0)).fill(sizes[i - 1] ?? 0));
      expect(bytes.flatMap((each, i) => audit.next(each, starts[i] ?? i) ?? [])).toEqual([]);
      const leaves = await bench.storage().log.leavesOf(1, records.get(moves.join()) ?? '');
      expect(audit.stateOf(leaves?.index ?? -1)).toBe(LEAF_STATE[state]);
    });
  });
}

async function make(bench: Bench, record_id: string, move: Move): Promise<void> {
  const { transaction, verification } = bench.storage();
  const instrument: Instrument = await found(bench, record_id);
  const now = await bench.now();
  switch (move) {
    case 'verify':
      return void (await verification.settleVerification(instrument, 'verified'));
    case 'reject':
      return void (await verification.settleVerification(instrument, 'rejected', 'made up'));
    case 'revive':
      return void (await verification.revive(instrument, now));
    case 'grade':
    case 'giveUp':
      return evaluate(bench, record_id, move);
    case 'quarantine':
    case 'release':
      return transaction(async ({ moderation, audit }) => {
        if (move === 'release') await moderation.release(record_id);
        else await moderation.quarantine(record_id, 'made up', now);
        await audit.append({ actor: 'a test', action: move, subject: record_id, detail: {} });
      });
  }
}

async function evaluate(bench: Bench, record_id: string, move: 'grade' | 'giveUp'): Promise<void> {
  const { evaluations } = bench.storage();
  const claimed = await evaluations.claimDue(FAR, new Date(FAR.getTime() + DAY), 1_000);
  const own = claimed.filter(({ decision }) => decision.record_id === record_id);
  const ends = own.map((each) =>
    move === 'grade'
      ? endOf(each)
      : endOf(each, { kind: 'data_unavailable', reason: UNAVAILABILITIES[0], detail: 'made up' }),
  );
  await evaluations.endEvaluations(ends, await bench.now());
}
