import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ALIKE, readings, withFewReadings } from '../../../adapters/identity/few-readings.ts';
import { bcryptPasswords } from '../../../adapters/identity/passwords.ts';

test('no text keeps more than two readings, or changes its length', () => {
  const signs = fc.constantFrom(...ALIKE.join(''), ...'abc89 ');
  fc.assert(
    fc.property(fc.string({ unit: signs, maxLength: 64 }), (text) => {
      const plain = withFewReadings(text);
      expect(readings(plain)).toBeLessThanOrEqual(2);
      expect(plain).toHaveLength(text.length);
    }),
  );
  expect(readings(ALIKE.join(''))).toBe(96);
});

test.each(['!@#$%^&*()_+', 'qwertyuiop[]', 'P@ssw0rd1234', 'a text of words'])('%s is judged as it is', (text) => {
  expect(withFewReadings(text)).toBe(text);
});

test('a common password in many disguises at once is still known', () => {
  const { isGuessable } = bcryptPasswords({ pepper: 'pepper', cost: 4 });
  expect(isGuessable('p@$$w0rdp4ssw0rd', [])).toBe(true);
  expect(isGuessable('p@5$w0rdp4$5w0rd', [])).toBe(true);
  expect(isGuessable('four plain words, spaced', [])).toBe(false);
});
