import { expect, test } from '@jest/globals';
import { withReport } from './report.ts';

const TEXT = 'Before\n\n<!-- measured: read -->\n\nold\n\n<!-- end: read -->\n\nAfter\n';

test('what was measured takes the place of what stood between the marks of its part, and nothing else changes', () => {
  const once = withReport(TEXT, 'read', 'new');
  expect(once).toBe('Before\n\n<!-- measured: read -->\n\n```\nnew\n```\n\n<!-- end: read -->\n\nAfter\n');
  expect(withReport(once, 'read', 'newer')).toBe(once.replace('new\n', 'newer\n'));
});

test('a part without marks is refused', () => {
  expect(() => withReport(TEXT, 'submit', 'new')).toThrow('no marks for submit');
});
