import request from 'supertest';
import { registerOwner } from '../../application/accounts/sign-in/register-owner.ts';
import { A_SOURCE } from '../builders/accounts.ts';
import { randomName } from '../builders/decisions.ts';
import type { TestService } from './service.ts';

export const PASSWORD = 'four plain words, spaced';
/** The network of requests from this machine. */
const LOCAL = '127.0.0.1';
export const LOGIN = '/api/v1/public/auth/login';
export const LOGOUT = '/api/v1/owner/auth/logout';

/** For tests that log in more often than the limits by address and by owner allow; no other limit is changed. */
export const NO_RATE_LIMITS = {
  LIMIT_RATE_PER_SECOND: '100000',
  LIMIT_RATE_PER_MINUTE: '100000',
  LIMIT_ADDRESS_PER_MINUTE: '100000',
  LIMIT_SIGNUPS_PER_MINUTE: '100000',
  LIMIT_CREDENTIALED_PER_MINUTE: '100000',
  LIMIT_ACCOUNTS_PER_ADDRESS: '100000',
  LIMIT_ACCOUNTS_PER_DAY: '100000',
} as const;

/** The header that a browser sends from a page of the service. */
export const OWN_PAGE = { 'sec-fetch-site': 'same-origin' } as const;

/** Registers a new owner with the password `PASSWORD`. */
export async function aPasswordOwner({ ports }: TestService) {
  const registration = { email: `${randomName()}@example.com`, password: PASSWORD };
  const { owner_id, email } = await registerOwner(ports, registration, { network: LOCAL, source: A_SOURCE });
  return { owner_id, email };
}

export function logIn({ app }: TestService, email: string, headers: Readonly<Record<string, string>> = {}) {
  return request(app).post(LOGIN).set(headers).send({ email, password: PASSWORD });
}

/** The header Cookie that a browser sends after this reply. */
export function cookieOf({ headers }: request.Response): string {
  const [set = ''] = [headers['set-cookie'] ?? []].flat();
  return set.replace(/;.*/, '');
}

/** A new owner with a session, and its cookie. */
export async function anOwnerLoggedIn(service: TestService) {
  const owner = await aPasswordOwner(service);
  return { ...owner, cookie: cookieOf(await logIn(service, owner.email)) };
}
