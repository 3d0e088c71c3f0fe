import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { makeFolder } from '../../../adapters/files/folder-owner.ts';
import { makeThrowawayFolder, removeThrowawayFolder } from '../../harness/throwaway-folder.ts';

const folder = makeThrowawayFolder('folders');
afterAll(() => removeThrowawayFolder(folder));

test('a folder and those above it are made for their user alone, once', () => {
  const made = join(folder, 'a/b/c');
  makeFolder(made);
  makeFolder(made);
  expect(statSync(made).mode & 0o777).toBe(0o700);
});

test('a folder below a file is an error', () => {
  writeFileSync(join(folder, 'file'), '');
  expect(() => makeFolder(join(folder, 'file'))).toThrow('EEXIST');
  expect(() => makeFolder(join(folder, 'file/b'))).toThrow('EEXIST');
});

test('a folder that the system refuses to make is an error', () => {
  expect(() => makeFolder('/proc/absent/folder')).toThrow();
});
