import request from 'supertest';
import { anAgentAt, type TestAgent } from './callers.ts';
import type { TestService } from './service.ts';
import { anOwnerLoggedIn, cookieOf, logIn, OWN_PAGE } from './sessions.ts';

/** An owner with a session and a first agent, with methods for their requests. */
export interface TestOwner {
  readonly owner_id: string;
  readonly email: string;
  readonly agent: TestAgent;
  /** The cookie of the current session. */
  cookie(): string;
  /** Logs in again after the session has expired. */
  logInAgain(): Promise<void>;
  /** A request below `/api/v1/owner`. */
  get(path: string): request.Test;
  post(path: string, body: object): request.Test;
  revoke(record_id: string, body?: object): request.Test;
}

export async function anOwnerWithAgent(service: TestService): Promise<TestOwner> {
  const owner = await anOwnerLoggedIn(service);
  const mate = { owner_id: owner.owner_id, email: owner.email ?? '' };
  let { cookie } = owner;
  const at = (path: string) => `/api/v1/owner${path}`;
  const post = (path: string, body: object) =>
    request(service.app)
      .post(at(path))
      .set({ cookie, ...OWN_PAGE })
      .send(body);
  return {
    ...mate,
    cookie: () => cookie,
    async logInAgain() {
      cookie = cookieOf(await logIn(service, mate.email));
    },
    agent: await anAgentAt(service, { mate }),
    get: (path) => request(service.app).get(at(path)).set({ cookie }),
    post,
    revoke: (record_id, body = {}) => post(`/decisions/${record_id}/revoke`, body),
  };
}
