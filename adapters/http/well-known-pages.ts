import { DAY, nextUtcDay, rfc3339 } from '../../domain/time.ts';
import { DATA_HEADERS } from './kit/reply/headers.ts';
import { TEXT_HEADERS } from './kit/reply/static-text.ts';
import type { ServedPage } from './kit/served-page.ts';

/** The page has no form for it: the reference shows the request. */
const CHANGE_PASSWORD = '/docs#changePassword';

/** How long a copy of security.txt is valid; RFC 9116 advises less than a year. */
const VALID = 90 * DAY;

/**
 * The pages below /.well-known: where to change a password, and whom to tell about a vulnerability.
 * @param contacts as URIs, the preferred one first; without any there is no security.txt
 */
export function wellKnownPages(contacts: readonly string[], publicUrl: string | null): readonly ServedPage[] {
  const headers = [...DATA_HEADERS, 'location', CHANGE_PASSWORD];
  const password = { path: '/.well-known/change-password', render: async () => ({ status: 303, headers }) };
  if (contacts.length === 0) return [password];
  const render = async () => ({
    status: 200,
    type: 'text/plain; charset=utf-8',
    body: securityText(contacts, publicUrl, Date.now()),
    headers: TEXT_HEADERS,
  });
  return [password, { path: '/.well-known/security.txt', render }];
}

function securityText(contacts: readonly string[], publicUrl: string | null, now: number): string {
  return [
    ...contacts.map((contact) => `Contact: ${contact}`),
    `Expires: ${rfc3339(nextUtcDay(now) + VALID)}`,
    ...(publicUrl === null ? [] : [`Canonical: ${publicUrl}/.well-known/security.txt`]),
    'Preferred-Languages: en',
    '',
  ].join('\n');
}
