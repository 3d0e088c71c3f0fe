import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { DIRECTIONS } from '../../../domain/decisions/call.ts';
import type { OutcomeFacts } from '../../../domain/grading/outcome.ts';
import { RECALL } from '../../../domain/limits.ts';
import {
  chooseRecall,
  type RecallQuestion,
  type RecallRow,
  recalled,
  recalledElsewhere,
  recallRowOf,
} from '../../../domain/recall/recall.ts';
import { DAY, HOUR } from '../../../domain/time.ts';
import { aGrade, aRow as aSetRow } from '../../builders/backtests.ts';
import { aKnownRow, aRow } from '../../builders/recalls.ts';

const AS_OF = new Date('2026-11-28T23:40:00Z');
const QUESTION: RecallQuestion = { direction: 'bullish', horizon: null, as_of: AS_OF, isNow: true };
const ago = (days: number) => new Date(AS_OF.getTime() - days * DAY);
const window = (days: number) => ({ anchor_time: ago(days), end_time: ago(days - 1) });
const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);

describe('what a recall shows of its rows', () => {
  test('closed decisions of the band of the horizon come first, then others; each the newest first, whatever became of them', () => {
    const rows = [2, 3, 4, 5, 6, 7].map((days) =>
      aKnownRow(DIRECTIONS[days % 3] ?? 'neutral', days % 2 ? 2 : -2, {
        ...{ id: `d${days}`, ...window(days) },
        horizon_value: days % 3 === 0 ? 30 : 5,
      }),
    );
    const asked = (horizon_value: number) => {
      const horizon = { horizon_kind: 'trading_days', horizon_value } as const;
      return ids(chooseRecall(rows.toReversed(), { ...QUESTION, horizon }).closed);
    };
    expect(asked(40)).toEqual(['d3', 'd6', 'd2', 'd4', 'd5']);
    expect(asked(3)).toEqual(['d2', 'd4', 'd5', 'd7', 'd3']);
    expect(ids(chooseRecall(rows, QUESTION).closed)).toEqual(['d2', 'd3', 'd4', 'd5', 'd6']);
  });

  test('a decision is open until its window ends, then ungraded until its outcome is known, then closed', () => {
    const row = aKnownRow('bullish', 1, { ...window(3), known_at: ago(1) });
    const at = (days: number) => {
      const { open, closed, counts } = chooseRecall([row], { ...QUESTION, as_of: ago(days) });
      return [open.length, counts.open, counts.ungraded.total, closed.length, counts.closed];
    };
    expect([2.5, 2, 1.5, 1].map(at)).toEqual([
      [1, 1, 0, 0, 0],
      [0, 0, 1, 0, 0],
      [0, 0, 1, 0, 0],
      [0, 0, 0, 1, 1],
    ]);
  });

  test('why decisions have no outcome is known of the present alone', () => {
    const over = (id: string, ungraded: string | null) => aRow({ id, ungraded, ...window(4) });
    const rows = [over('a', 'no_print'), over('b', null), over('c', null), aRow({ id: 'd', ungraded: 'rejected' })];
    const now = chooseRecall(rows, QUESTION);
    expect(now.counts.ungraded).toEqual({
      total: 3,
      reasons: [
        { reason: 'awaiting_evaluation', total: 2 },
        { reason: 'no_print', total: 1 },
      ],
    });
    expect(recalled(now, QUESTION, new Map(), new Map()).open).toMatchObject([{ id: 'd', ungraded: 'rejected' }]);
    const then = { ...QUESTION, isNow: false };
    expect(chooseRecall(rows, then).counts.ungraded).toEqual({ total: 3, reasons: null });
    expect(recalled(now, then, new Map(), new Map()).open).toMatchObject([{ id: 'd', ungraded: null }]);
  });

  test('of a group the horizon that is nearest to the asked one counts alone, and without one that which leads', () => {
    const group = [5, 20, 60].map((horizon_value, n) =>
      aKnownRow('bullish', 1, { id: `h${horizon_value}`, horizon_value, group_id: 'grp', group_place: n + 1 }),
    );
    const alone = (horizon: RecallQuestion['horizon'], rows: readonly RecallRow[] = group) => {
      const { closed, counts } = chooseRecall(rows, { ...QUESTION, horizon });
      expect(counts.closed).toBe(1);
      return ids(closed)[0];
    };
    const days = (horizon_value: number) => ({ horizon_kind: 'trading_days', horizon_value }) as const;
    expect([5, 11, 14, 300].map((value) => alone(days(value)))).toEqual(['h5', 'h5', 'h20', 'h60']);
    expect(alone({ horizon_kind: 'holding_seconds', horizon_value: 3_600 })).toBe('h5');
    expect(alone(null, group.toReversed())).toBe('h5');
    const [lead, ...others] = group;
    expect(alone(null, [{ ...(lead ?? aRow()), isQuarantined: true }, ...others])).toBe('h20');
  });

  test('the other direction is marked, and a neutral one has none', () => {
    const rows = DIRECTIONS.map((direction) => aRow({ id: direction, direction }));
    const marks = (direction: RecallQuestion['direction']) => {
      const question = { ...QUESTION, direction };
      const { open } = recalled(chooseRecall(rows, question), question, new Map(), new Map());
      return Object.fromEntries(open.map(({ id, opposite }) => [id, opposite]));
    };
    expect(marks('bearish')).toEqual({ bullish: true, bearish: false, neutral: null });
    expect(marks('neutral')).toEqual({ bullish: null, bearish: null, neutral: null });
    expect(marks(null)).toEqual({ bullish: null, bearish: null, neutral: null });
  });

  test('quarantined decisions are a number, retroactive ones count apart, and an unknown move hides had_said', () => {
    const { counts, quarantined } = chooseRecall(
      [
        aKnownRow('bullish', 1, { id: 'a', isQuarantined: true }),
        aKnownRow('bullish', 1, { id: 'b', submission_origin: 'retroactive', confidence: 1 }),
        aKnownRow('bearish', 1, { id: 'c', move: null }),
      ],
      QUESTION,
    );
    expect(quarantined).toBe(1);
    expect([counts.closed, counts.retroactive.closed]).toEqual([1, 1]);
    expect([counts.had_said, counts.retroactive.had_said?.bearish.strong_incorrect]).toEqual([null, 1]);
    expect(counts.retroactive.by_confidence).toMatchObject([{ confidence_from: 0.9, confidence_to: 1 }]);
    expect(counts.by_direction.bearish.strong_incorrect).toBe(1);
  });

  test('counts say since when they are, and whether these are all', () => {
    const rows = [...Array(RECALL.rows + 1).keys()].map((n) =>
      aKnownRow('bullish', 1, { id: `r${n}`, received_at: new Date(AS_OF.getTime() - n * HOUR) }),
    );
    const { complete, since, closed } = chooseRecall(rows, QUESTION).counts;
    expect([complete, since, closed]).toEqual([false, new Date(AS_OF.getTime() - 499 * HOUR), 500]);
    expect(chooseRecall(rows.slice(0, 500), QUESTION).counts.complete).toBe(true);
    expect(chooseRecall([], QUESTION).counts.since).toBeNull();
  });

  test('figures of a row of a set that were damaged hide its move, and refuse nothing', () => {
    const at = ago(3);
    const stored = {
      ...aSetRow('a', at),
      row_id: 1,
      received_at: at,
      planned_end: null,
      ungraded: null,
      last_error: null,
      notes: [],
    };
    const { outcome } = aGrade(ago(2));
    const damaged = [{}, { z: 'far' }, null, undefined, { z: 1, raw_return: null }];
    for (const facts of damaged) {
      const bad = { ...outcome, facts: facts as unknown as OutcomeFacts };
      const row = recallRowOf({ ...stored, outcome: bad, record_group: 'weak_correct', known_at: ago(2) });
      expect(row).toMatchObject({ result_bucket: 'weak_correct', move: null });
      expect(chooseRecall([row], QUESTION).counts).toMatchObject({ closed: 1, had_said: null });
    }
    const whole = recallRowOf({ ...stored, outcome, record_group: 'weak_correct', known_at: ago(2) });
    expect(whole.move).toEqual(expect.any(Number));
  });

  test('elsewhere has three notes, one of each group', () => {
    const noted = ['a', 'b', 'b', 'c', 'd'].map((group_id, n) => ({
      row: aKnownRow('bullish', 1, { id: `n${n}`, symbol: 'AAPL', group_id, group_place: n }),
      note: { number: 1, text: `note ${n}`, written_at: AS_OF },
    }));
    expect(ids(recalledElsewhere(noted, null))).toEqual(['n0', 'n1', 'n3']);
  });

  test('what becomes of rows later changes nothing', () => {
    const any = fc.array(
      fc.record({ age: fc.double({ min: 0, max: 9, noNaN: true }), late: fc.boolean(), kind: fc.nat(9) }),
    );
    const property = fc.property(any, (specs) => {
      const rows = specs.map(({ age, late, kind }, n) => {
        const changes = {
          id: `r${n}`,
          ...window(age),
          horizon_value: kind + 1,
          known_at: late ? ago(-1) : ago(age - 1),
        };
        return aKnownRow(DIRECTIONS[kind % 3] ?? 'neutral', kind - 4, changes);
      });
      const then = { ...QUESTION, isNow: false };
      const unknown = { known_at: null, result_bucket: null, move: null, ungraded: 'no_print' };
      const changed = rows.map((row) => ((row.known_at ?? AS_OF) > AS_OF ? { ...row, ...unknown } : row));
      const shown = (all: readonly RecallRow[]) => {
        const choice = chooseRecall(all, then);
        return [recalled(choice, then, new Map(), new Map()), choice.counts, choice.quarantined];
      };
      expect(shown(changed)).toEqual(shown(rows));
    });
    fc.assert(property, { numRuns: 300, seed: 1 });
  });
});
