import { expect, test } from '@jest/globals';
import { refuseWeakPassword } from '../../../../domain/accounts/sign-in/password.ts';

const never = async () => false;
const codeOf = (password: string, isGuessable = never) =>
  refuseWeakPassword(password, isGuessable).then(
    () => null,
    (error: unknown) => error,
  );
const weak = expect.objectContaining({
  code: 'WEAK_PASSWORD',
  details: [expect.objectContaining({ path: 'password' })],
});

test('12 to 128 characters are accepted, 11 and 129 are refused', async () => {
  expect(await codeOf('x'.repeat(11))).toEqual(weak);
  expect(await codeOf('x'.repeat(12))).toBeNull();
  expect(await codeOf('x'.repeat(128))).toBeNull();
  expect(await codeOf('x'.repeat(129))).toEqual(weak);
  expect(await codeOf('')).toEqual(weak);
});

test('a character is a code point, however many units it takes', async () => {
  expect(await codeOf('😀'.repeat(11))).toEqual(weak);
  expect(await codeOf('😀'.repeat(12))).toBeNull();
  expect(await codeOf('😀'.repeat(128))).toBeNull();
});

test('only length and guessability count', async () => {
  expect(await codeOf('only small letters')).toBeNull();
  expect(await codeOf('only small letters', async () => true)).toEqual(weak);
});

test('the refusal does not contain the password', async () => {
  const refusal = await codeOf('hunter2hunter2', async () => true);
  expect(JSON.stringify({ ...(refusal as Error), message: (refusal as Error).message })).not.toContain('hunter2');
});
