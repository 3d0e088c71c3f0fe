import { describe, expect, test } from '@jest/globals';
import { countedAs } from '../../../domain/cohorts/counted-as.ts';
import { publicGrid } from '../../../domain/decisions/views/views.ts';
import { gridOf } from '../../../domain/grading/grid.ts';
import type { OutcomeFacts } from '../../../domain/grading/outcome.ts';
import { anOutcome } from '../../builders/outcomes.ts';
import { factsOf } from '../../contracts/cohorts/outcome-parts.ts';

const { facts } = anOutcome();
const withGrid = (grid_z: number) => ({ ...facts, grid_z }) as OutcomeFacts;
const BITCOIN = { market: 'crypto', venue: 'COINBASE' } as const;

describe('the grid of an outcome', () => {
  test.each([
    [0, 'fine'],
    [0.1, 'fine'],
    [0.1000001, 'coarse'],
    [0.318639, 'coarse'],
  ])('is, with a grid_z of %d, %s', (grid_z, grid) => expect(gridOf(withGrid(grid_z))).toBe(grid));

  test('is unknown by a method that measures no step', () => {
    expect(gridOf(factsOf('eval/1', facts))).toBeNull();
  });

  test('is that of the facts as others see them, so that it shows nothing more of the receipt', () => {
    const window = {
      anchor_time: new Date('2026-03-02T12:00:45.123Z'),
      end_time: new Date('2026-03-02T12:02:15.123Z'),
    };
    const exact = withGrid(0.11);
    expect(gridOf(exact)).toBe('coarse');
    expect(publicGrid(exact, { ...BITCOIN, ...window, submission_origin: 'realtime' })).toBe('fine');
    expect(publicGrid(exact, { ...BITCOIN, ...window, submission_origin: 'retroactive' })).toBe('coarse');
  });
});

describe('cohorts count an outcome', () => {
  test.each([
    ['realtime', 'eval/1', 'realtime'],
    ['realtime', 'coarse', 'realtime'],
    ['realtime', 'carried_open', 'carried_open'],
    ['retroactive', 'carried_open', 'retroactive'],
    ['realtime', 'suspected_split', null],
    ['retroactive', 'suspected_split', null],
  ] as const)('that is %s and %s as %s', (submission_origin, part, counted) => {
    expect(countedAs({ submission_origin, facts: factsOf(part, facts) })).toBe(counted);
  });
});
