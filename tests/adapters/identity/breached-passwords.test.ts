import { createHash } from 'node:crypto';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { breachList } from '../../../adapters/identity/breached-passwords.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stancebook-breaches-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const sha1 = (text: string) => createHash('sha1').update(text, 'utf8').digest('hex').toUpperCase();
const lineOf = (password: string, index: number) => `${sha1(password)}:${(index * 7_919) % 1_000_000}`;
let files = 0;
function fileOf(content: string): string {
  files += 1;
  const file = join(folder, `list-${files}`);
  writeFileSync(file, content);
  return file;
}
/** As the downloader writes it. */
function listOf(passwords: readonly string[], end = '\r\n'): string {
  return passwords.map(lineOf).sort().join(end);
}

describe('a list of 50,000 passwords, 2 MB', () => {
  const LISTED = Array.from({ length: 50_000 }, (_, index) => `stolen ${index}`);
  let isBreached: ReturnType<typeof breachList>;
  beforeAll(() => {
    isBreached = breachList(fileOf(listOf(LISTED)));
  });

  test('each listed one is found, the first and the last line included', async () => {
    const byHash = LISTED.filter((_, index) => index % 499 === 0);
    const hashes = LISTED.map(sha1);
    const [first, last] = [hashes.reduce((a, b) => (a < b ? a : b)), hashes.reduce((a, b) => (a > b ? a : b))];
    const ends = [first, last].map((hash) => LISTED[hashes.indexOf(hash)] ?? '');
    for (const password of [...byHash, ...ends])
      expect([password, await isBreached(password)]).toEqual([password, true]);
  });

  test('another one is not, also one whose hash begins as a listed one', async () => {
    for (let index = 0; index < 300; index += 1) expect(await isBreached(`unknown ${index}`)).toBe(false);
  });
});

test.each([1, 2, 3, 1_300, 1_400, 3_000])('a list of %i lines answers as a set does', async (size) => {
  const all = Array.from({ length: size }, (_, index) => `p${index}`);
  for (const content of [listOf(all), listOf(all, '\n'), `${listOf(all)}\r\n`]) {
    const isBreached = breachList(fileOf(content));
    const some = all.filter((_, index) => index % 53 === 0);
    expect(await Promise.all(some.map(isBreached))).toEqual(some.map(() => true));
    expect(await Promise.all(some.map((each) => isBreached(`${each}!`)))).toEqual(some.map(() => false));
  }
});

test('a list whose hashes are crowded together answers too', async () => {
  const crowd = Array.from({ length: 20_000 }, (_, index) => index.toString(16).padStart(40, '0').toUpperCase());
  const listed = sha1('correct horse');
  const isBreached = breachList(
    fileOf(
      [...crowd, listed]
        .sort()
        .map((hash) => `${hash}:1`)
        .join('\n'),
    ),
  );
  expect([await isBreached('correct horse'), await isBreached('correct horses')]).toEqual([true, false]);
});

test('hashes in small letters count, and a password in another normal form does', async () => {
  const isBreached = breachList(fileOf(`${sha1('caf\u00e9 caf\u00e9').toLowerCase()}:3\n`));
  expect([await isBreached('cafe\u0301 cafe\u0301'), await isBreached('caf\u00e9 caf\u00e9')]).toEqual([true, true]);
});

test('a list that takes the place of another one counts from then on', async () => {
  const file = fileOf(listOf(['before']));
  const isBreached = breachList(file);
  renameSync(fileOf(listOf(['after'])), file);
  expect([await isBreached('before'), await isBreached('after')]).toEqual([false, true]);
});

test.each([
  ['an empty file', '', 'has no lines'],
  ['a list by NTLM', `${'A'.repeat(32)}:5\n`, 'has no lines'],
  ['words', 'password\n123456\n', 'has no lines'],
  ['an unsorted list', `${'B'.repeat(40)}:5\n${'A'.repeat(40)}:5\n`, 'is not sorted'],
])('%s is refused at the start, with what to send', (_, content, words) => {
  expect(() => breachList(fileOf(content))).toThrow(words);
  expect(() => breachList(fileOf(content))).toThrow('PASSWORD_BREACH_FILE');
});

test('a file that is not there, and a folder, are refused at the start', () => {
  expect(() => breachList(join(folder, 'absent'))).toThrow('cannot be read (ENOENT)');
  expect(() => breachList(folder)).toThrow('is not a file');
});
