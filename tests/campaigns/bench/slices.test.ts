import { expect, test } from '@jest/globals';
import { inSlices } from './slices.ts';

test('subjects take turns in both orders, and each ratio is of neighbouring slices', async () => {
  const turns: string[] = [];
  // After two pairs, other load doubles the CPU of both.
  const measure = (name: string, cpu: number) => async () => {
    turns.push(name);
    return { perSecond: 0, p50: 0, p99: 0, cpu: turns.length > 6 ? 2 * cpu : cpu };
  };
  const table = await inSlices(
    { pairs: 4, seconds: 1, warmUp: 1 },
    { service: measure('service', 30), bare: measure('bare', 10) },
  );
  expect(turns.slice(2).join(' ')).toBe('service bare bare service service bare bare service');
  expect(table.ratioTo('bare')).toBe(3);
  expect(table.lines).toHaveLength(3);
  expect(table.lines[2]).toMatch(/^bare\s+\d+\s+3\.00\s+3\.00\s+3\.00$/);
});
