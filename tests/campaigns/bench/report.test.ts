import { expect, test } from '@jest/globals';
import { withReport } from './report.ts';

const TEXT = 'Before\n\n<!-- measured: read -->\n\nold\n\n<!-- end: read -->\n\nAfter\n';

test('what was measured takes the place of what stood between the marks of its part, and nothing else changes', () => {
  const once = withReport(TEXT, 'read', 'new');
  expect(once).toBe('Before\n\n<!-- measured: read -->\n\n```\nnew\n```\n\n<!-- end: read -->\n\nAfter\n');
  expect(withReport(once, 'read', 'newer')).toBe(once.replace('new\n', 'newer\n'));
});

test('a part without marks comes to the end, and takes its own place the next time', () => {
  const once = withReport(TEXT, 'submit', 'new');
  expect(once).toBe(`${TEXT}\n<!-- measured: submit -->\n\n\`\`\`\nnew\n\`\`\`\n\n<!-- end: submit -->\n`);
  expect(withReport(once, 'submit', 'newer')).toBe(once.replace('new\n', 'newer\n'));
});

test('a part with one of its marks is refused', () => {
  expect(() => withReport(TEXT.replace('<!-- end: read -->', ''), 'read', 'new')).toThrow('lacks a mark of read');
});
