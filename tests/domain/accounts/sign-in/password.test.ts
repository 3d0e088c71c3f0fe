import { expect, test } from '@jest/globals';
import { refuseWeakPassword } from '../../../../domain/accounts/sign-in/password.ts';

const never = () => false;
const codeOf = (password: string, isGuessable = never) => {
  try {
    refuseWeakPassword(password, isGuessable);
    return null;
  } catch (error) {
    return error;
  }
};
const weak = expect.objectContaining({
  code: 'WEAK_PASSWORD',
  details: [expect.objectContaining({ path: 'password' })],
});

test('12 to 128 characters are accepted, 11 and 129 are refused', () => {
  expect(codeOf('x'.repeat(11))).toEqual(weak);
  expect(codeOf('x'.repeat(12))).toBeNull();
  expect(codeOf('x'.repeat(128))).toBeNull();
  expect(codeOf('x'.repeat(129))).toEqual(weak);
  expect(codeOf('')).toEqual(weak);
});

test('a character is a code point, however many units it takes', () => {
  expect(codeOf('😀'.repeat(11))).toEqual(weak);
  expect(codeOf('😀'.repeat(12))).toBeNull();
  expect(codeOf('😀'.repeat(128))).toBeNull();
});

test('only length and guessability count', () => {
  expect(codeOf('only small letters')).toBeNull();
  expect(codeOf('only small letters', () => true)).toEqual(weak);
});

test('the refusal does not contain the password', () => {
  const refusal = codeOf('hunter2hunter2', () => true);
  expect(JSON.stringify({ ...(refusal as Error), message: (refusal as Error).message })).not.toContain('hunter2');
});
