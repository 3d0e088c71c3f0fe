import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { VERSION } from '../../infrastructure/version.ts';
import { notesOf, otherVersions } from '../../scripts/release/versions.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

test('every file that names the release has its version', () => {
  expect(otherVersions(VERSION)).toEqual([]);
});

test('a file with another version, one without a version, and a version that is none are found', () => {
  const planted = (file: string) => {
    if (file === 'Dockerfile') return '';
    return file === 'server.json' ? read(file).replace(`"${VERSION}"`, '"0.0.9"') : read(file);
  };
  expect(otherVersions(VERSION, planted)).toEqual(['server.json has 0.0.9', 'Dockerfile has no version']);
  expect(otherVersions('01.2', () => '')[0]).toBe('01.2 is no version of Semantic Versioning');
});

test('the notes of a release are its part of the changelog', () => {
  const text = '# Changelog\n\n## [Unreleased]\n\n## [1.1.0] - 2027-01-01\n\n### Added\n\n- B\n\n## [1.0.0]\n\n- A\n';
  expect(notesOf(text, '1.1.0')).toBe('### Added\n\n- B\n');
  expect(notesOf(text, '1.0.0')).toBe('- A\n');
  expect(() => notesOf(text, '2.0.0')).toThrow('CHANGELOG.md has no release 2.0.0');
  expect(notesOf(read('CHANGELOG.md'), VERSION)).toContain('### Upgrade notes');
});
