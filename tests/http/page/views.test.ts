import { expect, test } from '@jest/globals';
import { VIEWS, viewAt } from '../../../adapters/http/page/browser/shell/views.ts';

test('each name of a view is its view, and each section is of the home', () => {
  for (const [name, view] of Object.entries(VIEWS)) expect(viewAt(name)).toBe(view);
  for (const section of ['', 'atlas', 'entries', 'stablecoins']) expect(viewAt(section)).toBeUndefined();
});

test.each(['nonsense', 'Atlas', '__proto__', 'constructor'])('%s is no view, which is not the home', (name) => {
  expect(viewAt(name)?.audience).toBe('everybody');
  expect(Object.values(VIEWS)).not.toContain(viewAt(name));
});
