import request from 'supertest';
import type { TestService } from './service.ts';
import { anOwnerLoggedIn, OWN_PAGE } from './sessions.ts';

export const KEYS = '/api/v1/owner/auth/api-keys';

/** An owner with a session, with methods for the key requests of the owner area. */
export async function aKeyHolder(service: TestService) {
  const owner = await anOwnerLoggedIn(service);
  const headers = { cookie: owner.cookie, ...OWN_PAGE };
  const app = () => request(service.app);
  return {
    ...owner,
    headers,
    list: () => app().get(KEYS).set(headers),
    create: (body: object = {}) => app().post(KEYS).set(headers).send(body),
    update: (key_prefix: string, body: object) => app().patch(`${KEYS}/${key_prefix}`).set(headers).send(body),
    revoke: (key_prefix: string) => app().delete(`${KEYS}/${key_prefix}`).set(headers),
    rotate: (key_prefix: string) => app().post(`${KEYS}/${key_prefix}/rotate`).set(headers),
  };
}

export type KeyHolder = Awaited<ReturnType<typeof aKeyHolder>>;
