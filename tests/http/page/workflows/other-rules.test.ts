import { expect, test } from '@jest/globals';
import { matchingTemplates } from '../../../../adapters/http/page/browser/workflows/editor/library-search.ts';
import { numberedLines, placedFaults } from '../../../../adapters/http/page/browser/workflows/faulty-lines.ts';
import { NODE_TEMPLATES } from '../../../../domain/workflows/node-catalogue.ts';

test('faults of a text are in the order of its lines; those without a place are left to the message', () => {
  expect(
    placedFaults([
      { path: 'nodes.2.node_id', message: 'is not known', line: 7, column: 23 },
      { path: '', message: 'is not valid', line: 3, column: 10 },
      { path: 'name', message: 'is required' },
    ]),
  ).toEqual([
    { line: 3, column: 10, words: 'is not valid' },
    { line: 7, column: 23, words: 'nodes.2.node_id is not known' },
  ]);
});

test.each([
  [1, [1, 2, 3]],
  [4, [2, 3, 4, 5]],
  [9, []],
])('the lines around line %d are %j', (line, numbers) => {
  expect(numberedLines('a\nb\nc\nd\ne', line).map(({ number }) => number)).toEqual(numbers);
  expect(numberedLines('a\nb\nc\nd\ne', 1)[0]).toEqual({ number: 1, text: 'a' });
});

test.each([
  ['', NODE_TEMPLATES.length],
  ['devil', 1],
  ['BENCHMARK relative', 1],
  ['moon phase', 0],
])('a search of the library for %j finds %d', (typed, count) => {
  const library = new Map(NODE_TEMPLATES.map((template) => [template.node_id, template]));
  expect(matchingTemplates(library, typed).size).toBe(count);
});
