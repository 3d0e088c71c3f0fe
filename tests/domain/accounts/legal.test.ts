import { expect, test } from '@jest/globals';
import { legalStatus, refuseUnknownVersions } from '../../../domain/accounts/profile.ts';

const KNOWN = { terms: ['1.0', '2.0'], privacy: ['1.0', '1.1'] };
const accepted = (terms_version: string, privacy_version: string) => ({
  terms_version,
  privacy_version,
  source: 'dashboard',
  accepted_at: new Date(0),
});

test('the current versions are the last ones, and an owner who accepted none is not up to date', () => {
  expect(legalStatus(null, KNOWN)).toEqual({
    accepted: null,
    current: { terms_version: '2.0', privacy_version: '1.1' },
    up_to_date: false,
  });
});

test.each([
  ['2.0', '1.1', true],
  ['1.0', '1.1', false],
  ['2.0', '1.0', false],
])('terms %s and privacy %s are up to date: %s', (terms, privacy, expected) => {
  expect(legalStatus(accepted(terms, privacy), KNOWN)).toMatchObject({
    accepted: accepted(terms, privacy),
    up_to_date: expected,
  });
});

test('older versions can be accepted; unknown ones are all named, with the known ones', () => {
  expect(() => refuseUnknownVersions(accepted('1.0', '1.0'), KNOWN)).not.toThrow();
  const unknown = { code: 'UNKNOWN_LEGAL_VERSION', status: 400 };
  const [terms, privacy] = [
    { path: 'terms_version', message: 'must be one of 1.0, 2.0', received: '3.0' },
    { path: 'privacy_version', message: 'must be one of 1.0, 1.1', received: '2.0' },
  ];
  expect(() => refuseUnknownVersions(accepted('3.0', '2.0'), KNOWN)).toThrow(
    expect.objectContaining({ ...unknown, details: [terms, privacy] }),
  );
  expect(() => refuseUnknownVersions(accepted('2.0', '2.0'), KNOWN)).toThrow(
    expect.objectContaining({ ...unknown, details: [privacy] }),
  );
});
