import { describe, expect, test } from '@jest/globals';
import type { EvaluationCall } from '../../../domain/grading/evaluation.ts';
import type { Bar } from '../../../domain/market/bars.ts';
import { amchartsBars, at, MSFT, PUFA, pufaBars, series } from '../market/real-bars.ts';
import { outcomeOf, reason, sessionsOfSpx, tenMinutes } from './evaluations.ts';

describe('owner-only facts', () => {
  const msftCall = {
    instrument: MSFT,
    data_cutoff: at('2003-02-12T15:00Z'),
    anchor_time: at('2003-02-13T14:00Z'),
    end_time: at('2003-02-20T21:00Z'),
    horizon_kind: 'trading_days',
    horizon_value: 5,
  } as const;
  const bars = amchartsBars('MSFT');
  const evidence = { path: series(bars), daily: series(bars) };
  const owner = (call: Partial<EvaluationCall>) => {
    return outcomeOf(tenMinutes([], { call: { ...msftCall, ...call }, evidence, now: at('2003-03-01') })).owner_facts;
  };

  test('levels are in the units of the anchor, before a split', () => {
    const price_targets = { targets: [{ price: 49.5 }], stop_loss: { price: 30, kind: 'hard' as const } };
    const { levels } = owner({ price_targets });
    expect(levels?.first_touch).toMatchObject({ kind: 'target', fill_price: 49.5, time: '2003-02-18T21:00:00.000Z' });
    expect(levels?.time_to_stop).toBeNull();
  });

  test('an entry after the split is brought into those units too', () => {
    const eve = at('2003-02-15T12:00Z');
    const price_targets = { targets: [{ price: 49.8 }], stop_loss: { price: 46, kind: 'hard' as const } };
    const { levels } = owner({ price_targets, anchor_time: eve, data_cutoff: eve });
    expect([levels?.invalid_at_entry, levels?.time_to_target]).toEqual([[], 6.5 * 3_600]);
  });

  test('the reference price is compared with the bar of the cutoff', () => {
    const { low, high } = bars.find(({ start }) => start > at('2003-02-12')) ?? { low: 0, high: 0 };
    expect(owner({ reference_price: high })?.reference_price).toEqual({
      price: high,
      bar: { start: '2003-02-12T14:30:00.000Z', end: '2003-02-12T21:00:00.000Z', low, high },
      within_bar: true,
    });
    const opening = owner({ reference_price: high, data_cutoff: at('2003-02-12T14:30Z') }).reference_price;
    expect(opening?.bar.start).toBe('2003-02-12T14:30:00.000Z');
    expect(owner({ reference_price: high + 0.01 })?.reference_price?.within_bar).toBe(false);
  });

  test('knowledge overlaps when the model knows later things than the data', () => {
    const overlaps = [at('2003-02-12T15:00Z') + 1, at('2003-02-12T15:00Z'), undefined].map((knowledge_cutoff) => {
      return owner({ knowledge_cutoff }).knowledge_overlap;
    });
    expect(overlaps).toEqual([true, false, null]);
  });

  test('are null where the decision gives no cause', () => {
    expect(owner({})).toEqual({ levels: null, reference_price: null, knowledge_overlap: null });
  });

  test('none of them is among the public facts', () => {
    const call = {
      ...msftCall,
      price_targets: { targets: [{ price: 49.5 }] },
      reference_price: 48,
      knowledge_cutoff: 0,
    };
    const { facts } = outcomeOf(tenMinutes([], { call, evidence, now: at('2003-03-01') }));
    expect(JSON.stringify(facts)).not.toMatch(/touch|target|stop|level|reference|knowledge|"bars":/);
  });
});

describe('an outcome', () => {
  test('is the same in other units of adjustment', () => {
    const bars = amchartsBars('MSFT');
    const rescaled = bars.map((bar) => ({ ...bar, split: bar.split * 4, total: bar.total * 4 }));
    const call = { instrument: MSFT } as const;
    const from = (path: Bar[]) => {
      const evidence = { daily: series(path) };
      return outcomeOf(sessionsOfSpx(5, '2003-02-13', path, { call, evidence })).facts;
    };
    expect(from(rescaled)).toEqual(from(bars));
  });

  test('is the same when it is evaluated again', () => {
    const call = {
      instrument: PUFA,
      data_cutoff: at('2024-06-17T04:00Z'),
      anchor_time: at('2024-06-17T04:00Z'),
      end_time: at('2024-06-17T06:00Z'),
    };
    const evidence = { path: series(pufaBars('1m'), '1m'), daily: series(pufaBars('1d')) };
    const evaluated = () => tenMinutes([], { call, evidence, now: at('2024-06-18') });
    expect(evaluated()).toEqual(evaluated());
    expect(reason(evaluated())).toBe('evaluated');
  });
});
