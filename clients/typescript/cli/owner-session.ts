import { send } from '../client/send.ts';
import { settingsOf } from '../client/settings.ts';
import type { Connection } from './credentials.ts';
import { readSecret } from './secret.ts';

/** Requests as the owner of an account. */
export interface OwnerSession {
  readonly headers: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** Logs in with a password that the user types. */
export async function openOwnerSession(connection: Connection, email: string): Promise<OwnerSession> {
  const settings = settingsOf({ ...connection, apiKey: null });
  const password = await readSecret(`Password of ${email}: `);
  const path = '/api/v1/public/auth/login';
  const login = await send(settings, { method: 'POST', path, body: { email, password } });
  const cookies = login.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
  const headers = { cookie: cookies.join('; '), 'sec-fetch-site': 'same-origin' };
  return {
    headers,
    async close() {
      await send(settings, { method: 'POST', path: '/api/v1/owner/auth/logout', headers });
    },
  };
}
