import { describe, expect, test } from '@jest/globals';
import { bcryptPasswords } from '../../../adapters/identity/passwords.ts';

const passwords = bcryptPasswords({ pepper: 'pepper', cost: 4 });

test('a password verifies against its hash, and no other does', async () => {
  const hash = await passwords.hash('four plain words');
  expect(await passwords.verify('four plain words', hash)).toBe(true);
  expect(await passwords.verify('four plain word', hash)).toBe(false);
  expect(await passwords.verify('', hash)).toBe(false);
});

test('the same password has another hash each time', async () => {
  expect(await passwords.hash('four plain words')).not.toBe(await passwords.hash('four plain words'));
});

test('nothing of a long password is cut off, and nothing after a NUL', async () => {
  const long = 'x'.repeat(127);
  expect(await passwords.verify(`${long}b`, await passwords.hash(`${long}a`))).toBe(false);
  expect(await passwords.verify('before\0other', await passwords.hash('before\0after'))).toBe(false);
});

test('two ways to write the same characters are one password', async () => {
  expect(await passwords.verify('cafe\u0301 cafe\u0301', await passwords.hash('caf\u00e9 caf\u00e9'))).toBe(true);
});

test('without the pepper the hash is of no use', async () => {
  const hash = await passwords.hash('four plain words');
  const other = bcryptPasswords({ pepper: 'another', cost: 4 });
  expect(await other.verify('four plain words', hash)).toBe(false);
});

describe('after a rotation of the pepper', () => {
  const before = bcryptPasswords({ pepper: 'first', cost: 4 });
  const once = bcryptPasswords({ pepper: 'second', formerPeppers: ['first'], cost: 4 });
  const twice = bcryptPasswords({ pepper: 'third', formerPeppers: ['second', 'first'], cost: 4 });
  const without = bcryptPasswords({ pepper: 'third', formerPeppers: ['second'], cost: 4 });
  const matches = (by: typeof before, hash: string) => by.verify('four plain words', hash);

  test('a hash names its pepper, one without a name is of the oldest, and all match while their pepper is there', async () => {
    const hashes = await Promise.all([before, once, twice].map((by) => by.hash('four plain words')));
    const [unnamed = '', second = '', third = ''] = hashes;
    expect(unnamed).toMatch(/^\$2b\$04\$/);
    for (const named of [second, third]) expect(named).toMatch(/^[0-9a-f]{8}:\$2b\$04\$/);
    expect(await Promise.all(hashes.map((hash) => matches(twice, hash)))).toEqual([true, true, true]);
    expect(await Promise.all(hashes.map((hash) => matches(without, hash)))).toEqual([false, true, true]);
    expect(await Promise.all(hashes.map((hash) => matches(once, hash)))).toEqual([true, true, false]);
    for (const hash of hashes) expect(await twice.verify('four plain word', hash)).toBe(false);
  });

  test('every hash of another pepper or a lower cost is outdated', async () => {
    const hashes = await Promise.all([before, once, twice].map((by) => by.hash('four plain words')));
    expect(hashes.map((hash) => twice.isOutdated(hash))).toEqual([true, true, false]);
    const costlier = bcryptPasswords({ pepper: 'first', cost: 5 });
    const [unnamed = ''] = hashes;
    expect([before.isOutdated(unnamed), costlier.isOutdated(unnamed)]).toEqual([false, true]);
  });
});

test('nobody has a password', async () => {
  expect(await passwords.verify('four plain words', null)).toBe(false);
});

test('the cost is 12 by default', async () => {
  expect(await bcryptPasswords({ pepper: 'pepper' }).hash('four plain words')).toMatch(/^\$2b\$12\$/);
});

test('a flood is refused instead of queued without end, and the others are served', async () => {
  const outcomes = await Promise.allSettled(Array.from({ length: 110 }, () => passwords.verify('x', null)));
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
  expect(refused).toHaveLength(8);
  for (const { reason } of refused) expect(reason).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  const turn = { purpose: 'login', network: '192.0.2.1' } as const;
  const ofOne = await Promise.allSettled(Array.from({ length: 21 }, () => passwords.verify('x', null, turn)));
  expect(ofOne.slice(19)).toMatchObject([{ value: false }, { reason: { code: 'RATE_LIMIT_EXCEEDED', status: 429 } }]);
  expect(await passwords.verify('x', null)).toBe(false);
});

test('what guessers try first is guessable, a passphrase is not', async () => {
  for (const guess of [
    'password1234',
    '123456789012',
    'qwertyuiop12',
    'aaaaaaaaaaaa',
    'P@ssw0rd1234',
    'stancebook12',
  ]) {
    expect([guess, await passwords.isGuessable(guess, [])]).toEqual([guess, true]);
  }
  for (const sound of ['four plain words, spaced', 'kd83jfnvu3kd']) {
    expect([sound, await passwords.isGuessable(sound, [])]).toEqual([sound, false]);
  }
});

test('the words of the account are guessable', async () => {
  expect(await passwords.isGuessable('xanthippe.okonkwo', [])).toBe(false);
  expect(await passwords.isGuessable('xanthippe.okonkwo', ['xanthippe.okonkwo', 'example.com'])).toBe(true);
});

test('a common password in many disguises at once is still known', async () => {
  expect(await passwords.isGuessable('p@$$w0rdp4ssw0rd', [])).toBe(true);
  expect(await passwords.isGuessable('p@5$w0rdp4$5w0rd', [])).toBe(true);
});

test('a text of signs that stand for several letters each does not block the process for seconds', async () => {
  const before = process.cpuUsage();
  for (const text of ['4@([{<1!|5$7+', 'soO!SS7TsIE223ta20eeI4!oSa1O!A@iEeZ0t+5237', '|-n-nv/]~VWn\\M|M/'])
    await passwords.isGuessable(text.repeat(10).slice(0, 128), []);
  expect(process.cpuUsage(before).user).toBeLessThan(3_000_000);
});
