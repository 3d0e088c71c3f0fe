import request from 'supertest';
import { changeRole } from '../../../application/accounts/operators/owner-changes.ts';
import { COHORTS_AT } from '../../harness/cohorts.ts';
import { openService, type StorageName, type TestService } from '../../harness/service.ts';
import { aPasswordOwner, cookieOf, logIn, OWN_PAGE } from '../../harness/sessions.ts';
import { workflowExample } from './workflow.ts';

export interface HistoryOwner {
  readonly owner_id: string;
  readonly cookie: string;
  readonly agent_id: string;
  api_key: string;
  key_prefix: string;
}

/** A service, its owners, and their data in the order of creation. */
export interface World {
  readonly service: TestService;
  /** Two ordinary owners and an admin. */
  readonly owners: readonly HistoryOwner[];
  readonly records: string[];
  readonly workflows: string[];
  readonly workflow: object;
  /** The number of submissions, including refused ones. */
  count: number;
}

/** The same initial state on either storage. */
export async function openWorld(storage: StorageName, changes: NodeJS.ProcessEnv = {}): Promise<World> {
  const env = { WISDOM_MIN_PRODUCERS: '1', WISDOM_MIN_SAMPLES: '1', ...changes };
  const service = await openService(storage, { at: COHORTS_AT, env });
  const owners: HistoryOwner[] = [];
  for (const name of ['one', 'two', 'admin']) {
    const { owner_id, email } = await aPasswordOwner(service);
    if (name === 'admin') await changeRole(service.operators, owner_id, 'admin', 'a test');
    const cookie = cookieOf(await logIn(service, email));
    const made = await request(service.app)
      .post('/api/v1/owner/auth/api-keys')
      .set({ cookie, ...OWN_PAGE })
      .send({ agent_name: name });
    owners.push({ owner_id, cookie, ...made.body });
    await service.arrange.advance(1_000);
  }
  return { service, owners, records: [], workflows: [], workflow: workflowExample, count: 0 };
}

/** The reply as text, with each random value replaced by the number of its first appearance. */
export function plainly(seen: Map<string, string>, { status, text, headers }: request.Response): string {
  const compared = Object.entries(headers).filter(([name]) => COMPARED_HEADERS.test(name));
  const named = `${status} ${JSON.stringify(compared)} ${text}`.replaceAll(RANDOM, (id) => {
    const known = seen.get(id) ?? `<${seen.size}>`;
    seen.set(id, known);
    return known;
  });
  return named.replaceAll(OPAQUE, '"$1":"..."');
}

const COMPARED_HEADERS = /^(x-ratelimit-limit|x-quota-.*|idempotency-replayed|retry-after|content-type)$/;
const RANDOM =
  /dec_\d{8}_[0-9a-f]{8}|agt_[0-9a-f]{12}|sbk_[0-9A-Za-z]{8}(_[0-9A-Za-z]+)?|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{64}|[0-9a-z-]+@example\.com/g;
const OPAQUE = /"(next_cursor|request_id|salt)":"[^"]*"/g;
