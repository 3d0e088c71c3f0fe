import { expect, test } from '@jest/globals';
import { noticesOf } from '../../../adapters/http/page/browser/account/overview/overview-words.ts';

const CURRENT = { terms_version: '1.0', privacy_version: '1.0' };
const ACCEPTED = { accepted: { ...CURRENT, source: 'page', accepted_at: 'then' }, current: CURRENT, up_to_date: true };
const WEBHOOK = {
  webhook_id: '3f0c9a1e-5b7d-4c2a-9e61-0d8f7a6b5c43',
  url: 'https://example.com/hooks',
  event_types: null,
  description: '',
  status: 'active',
  created_at: 'then',
  failing_since: null,
  former_secret_until: null,
} as const;
const NONE = { erases_at: null };
const KEPT = { reset: null };
const at = (time: string) => `at ${time}`;

test('an account on which nothing is to do has no notice', () => {
  const stopped = { ...WEBHOOK, status: 'disabled', failing_since: 'then' } as const;
  expect(
    noticesOf({ expiring: [], webhooks: [WEBHOOK, stopped], legal: ACCEPTED, erasure: NONE, factors: KEPT }, at),
  ).toEqual([]);
});

test('a key that ends soon is named by its label, else by its prefix, and the notice says what to do', () => {
  const expiring = [
    { key_prefix: 'sbk_Xk29fQ7b', label: 'Nightly run', expires_at: 'noon' },
    { key_prefix: 'sbk_a1b2c3d4', label: null, expires_at: 'night' },
  ];
  const notices = noticesOf({ expiring, webhooks: [], legal: ACCEPTED, erasure: NONE, factors: KEPT }, at);
  expect(notices.map(({ words }) => words)).toEqual([
    'The key Nightly run ends at noon: rotate it before its agent is refused.',
    'The key sbk_a1b2c3d4 ends at night: rotate it before its agent is refused.',
  ]);
  expect(notices.map(({ href }) => href)).toEqual(['#/keys', '#/keys']);
});

test.each([
  [{ status: 'paused' }, /is paused: .* Start it once its receiver works/],
  [{ status: 'gone' }, /its receiver answered that it is gone/],
  [{ failing_since: 'noon' }, /has failed since at noon/],
] as const)('a webhook with %j is a notice that leads to its deliveries', (change, words) => {
  const [notice, ...others] = noticesOf(
    { expiring: [], webhooks: [{ ...WEBHOOK, ...change }], legal: ACCEPTED, erasure: NONE, factors: KEPT },
    at,
  );
  expect(notice?.words).toMatch(words);
  expect([notice?.href, others]).toEqual([`#/webhooks/${WEBHOOK.webhook_id}`, []]);
});

test('terms that are not accepted are a notice', () => {
  const legal = { accepted: null, current: CURRENT, up_to_date: false };
  const [notice] = noticesOf({ expiring: [], webhooks: [], legal, erasure: NONE, factors: KEPT }, at);
  expect(notice).toMatchObject({ words: 'You have not accepted the current terms.', href: '#/settings' });
});

test('a scheduled erasure is the first notice, and leads to where it is taken back', () => {
  const legal = { accepted: null, current: CURRENT, up_to_date: false };
  const notices = noticesOf({ expiring: [], webhooks: [], legal, erasure: { erases_at: 'noon' }, factors: KEPT }, at);
  expect(notices[0]).toMatchObject({ words: expect.stringContaining('erased at noon'), href: '#/settings' });
  expect(notices).toHaveLength(2);
});

test('a removal of the second factors comes before all, and leads to where it is taken back', () => {
  const reset = { evidence: 'known_number', requested_at: 'then', due_at: 'noon' } as const;
  const erasure = { erases_at: 'night' };
  const [notice] = noticesOf({ expiring: [], webhooks: [], legal: ACCEPTED, erasure, factors: { reset } }, at);
  expect(notice).toMatchObject({ words: expect.stringContaining('removed at noon'), href: '#/security' });
});
