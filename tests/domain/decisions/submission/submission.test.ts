import { expect, test } from '@jest/globals';
import { knowledgeEnd } from '../../../../domain/decisions/submission/submission.ts';

test.each([
  ['2025-06-30', '2025-07-01T00:00:00.000Z'],
  ['2024-02-28', '2024-02-29T00:00:00.000Z'],
  ['2025-12-31', '2026-01-01T00:00:00.000Z'],
  ['2025-06-30T00:00:00Z', '2025-06-30T00:00:00.000Z'],
  ['2025-06-30T12:00:00.5+02:00', '2025-06-30T10:00:00.500Z'],
])('a knowledge_cutoff of %s ends at %s: a date includes its day in UTC', (knowledge_cutoff, end) => {
  expect(new Date(knowledgeEnd({ model: { knowledge_cutoff } }) ?? 0).toISOString()).toBe(end);
});

test('a knowledge_cutoff that was not sent has no end', () => {
  expect([knowledgeEnd({}), knowledgeEnd({ model: { id: 'm' } })]).toEqual([undefined, undefined]);
});
