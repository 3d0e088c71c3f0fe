import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { lastSeenFile } from '../../../adapters/log/last-seen-file.ts';
import { sha256 } from '../../../application/sha256.ts';

const folder = mkdtempSync(join(tmpdir(), 'stancebook-last-seen-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const TREE = { origin: 'log.test/log/1', log: 1, size: 2, root: Uint8Array.from(sha256('a root')) };

test('the note is what was written last, by any process, and its folder is made', async () => {
  const file = join(folder, 'new/folder/seen.json');
  const [one, other] = [lastSeenFile(file), lastSeenFile(file)];
  expect(await one.read()).toBeNull();
  await one.write(TREE);
  expect(await other.read()).toEqual(TREE);
  await other.write({ ...TREE, size: 3 });
  await one.write(TREE);
  expect(await other.read()).toEqual(TREE);
  const withKeys = { ...TREE, keys: ['0a'.repeat(32), 'ff'.repeat(32)] };
  await one.write(withKeys);
  expect(await other.read()).toEqual(withKeys);
  expect(readdirSync(join(folder, 'new/folder'))).toEqual(['seen.json']);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('the note is replaced only while it is what was read, also under the name of an earlier key', async () => {
  const [file, earlier] = [join(folder, 'replaced.json'), join(folder, 'earlier.json')];
  await lastSeenFile(earlier).write(TREE);
  const note = lastSeenFile(file, earlier);
  const larger = { ...TREE, size: 3 };
  expect(await note.replace(null, larger)).toBe(false);
  expect(await note.read()).toEqual(TREE);
  expect(await note.replace(TREE, larger)).toBe(true);
  expect(await lastSeenFile(file).replace(TREE, TREE)).toBe(false);
  expect(await note.read()).toEqual(larger);
  expect(readdirSync(folder).filter((name) => name.startsWith('replaced'))).toEqual(['replaced.json']);
});

test('a note that cannot be read or written is an error that names its file and the cause', async () => {
  writeFileSync(join(folder, 'file'), '');
  const note = lastSeenFile(join(folder, 'file/seen.json'));
  const message = /^LOG_LAST_SEEN, .*file\/seen\.json, cannot be used: E(NOTDIR|EXIST) /;
  await expect(note.read()).rejects.toThrow(message);
  await expect(note.write(TREE)).rejects.toThrow(message);
});

test.each(['', '{}', '{"origin":"a","log":1,"size":2,"root":"00"}\n'])(
  'a damaged note is an error: %j',
  async (text) => {
    const file = join(folder, 'damaged.json');
    writeFileSync(file, text);
    await expect(lastSeenFile(file).read()).rejects.toThrow(`${file} is damaged`);
  },
);
