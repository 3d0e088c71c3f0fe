import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { skillName, slug } from '../../../domain/workflows/snapshot.ts';
import { anyText } from '../../builders/any-text.ts';

const hash = 'ab12'.repeat(16);
const nameOf = (name: string) => skillName({ hash, content: JSON.stringify({ name }) });

test.each([
  ['Momentum trade plan', 'momentum-trade-plan'],
  ['  ---Über Café!! (v2)  ', 'uber-cafe-v2'],
  ['../../etc/passwd', 'etc-passwd'],
  ['C:\\Windows\\system32', 'c-windows-system32'],
  ['/', 'workflow-ab12ab12ab12'],
  ['..', 'workflow-ab12ab12ab12'],
  ['動量', 'workflow-ab12ab12ab12'],
  ['👩‍👩‍👧', 'workflow-ab12ab12ab12'],
  ['\u202eevil', 'evil'],
  ['con', 'workflow-con'],
  ['NUL', 'workflow-nul'],
  ['LPT1', 'workflow-lpt1'],
  ['Console', 'console'],
  ['ﬁne ①', 'fine-1'],
  ['a\r\nContent-Length: 0"', 'a-content-length-0'],
  [`${'a'.repeat(63)} b`, 'a'.repeat(63)],
  ['a'.repeat(120), 'a'.repeat(64)],
])('%j makes %s', (name, expected) => {
  expect(nameOf(name)).toBe(expected);
});

test('any name makes a valid one, and the same name the same', () => {
  fc.assert(
    fc.property(anyText({ minLength: 1, maxLength: 120 }), (name) => {
      expect(nameOf(name)).toMatch(/^(?=.{1,64}$)[a-z0-9]+(-[a-z0-9]+)*$/);
      expect(nameOf(name)).toBe(nameOf(name));
    }),
  );
});

test('a name without Latin letters has no slug', () => {
  expect(slug('動量')).toBeUndefined();
});
