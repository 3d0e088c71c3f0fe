import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { PostgresStorage } from '../../../../adapters/postgres/storage.ts';
import type { Ports } from '../../../../application/ports.ts';
import type { Caller, KeyCaller } from '../../../../domain/caller.ts';
import { aSubmission } from '../../../builders/decisions.ts';
import { type Instances, openInstances } from '../../../harness/instances.ts';
import { rotateUnderLoad } from '../../../harness/rotations.ts';
import { OWN_PAGE, PASSWORD } from '../../../harness/sessions.ts';
import { call } from '../../../whole/calls.ts';

/** `ROTATIONS=500 npm run jest -- tests/http/owner/auth/rotation` for a long one. */
const ROTATIONS = Number(process.env.ROTATIONS ?? 50);
jest.setTimeout(240_000 + ROTATIONS * 1_000);

let instances: Instances;

beforeAll(async () => {
  instances = await openInstances();
});
afterAll(() => instances.close());

/** The headers of a page on which a new owner has logged in. */
async function loggedIn(url: string, email: string): Promise<Record<string, string>> {
  const body = { email, password: PASSWORD };
  await call({ url }, '/api/v1/public/auth/register', { body });
  const { headers } = await call({ url }, '/api/v1/public/auth/login', { body });
  return { cookie: (headers.get('set-cookie') ?? '').replace(/;.*/, ''), ...OWN_PAGE };
}

describe('rotations on two instances over one database', () => {
  test('after the reply neither instance accepts the old key, and both accept the new one', async () => {
    const { url } = await instances.open();
    const headers = await loggedIn(url, 'ada@example.com');
    const urls = [url, (await instances.open()).url];
    const { sent, ...found } = await rotateUnderLoad({ urls, headers, rotations: ROTATIONS });
    expect(found).toEqual({ acceptedLate: 0, refusedNew: 0 });
    expect(sent).toBeGreaterThan(ROTATIONS * 4);
  });

  test('the check catches an instance that caches keys', async () => {
    const { url } = await instances.open();
    const headers = await loggedIn(url, 'bob@example.com');
    const urls = [url, (await instances.open(remembering)).url];
    const { acceptedLate } = await rotateUnderLoad({ urls, headers, rotations: 10 });
    expect(acceptedLate).toBeGreaterThan(0);
  });

  test('401 for a submission that was admitted before its key was rotated, and whose body came after', async () => {
    const { url } = await instances.open();
    const headers = await loggedIn(url, 'grace@example.com');
    const keys = '/api/v1/owner/auth/api-keys';
    const { body: key } = await call({ url }, keys, { headers, body: {} });
    const slow = submission(url, key.api_key);
    // Its use is recorded, so the key has been accepted.
    while ((await call({ url }, keys, { headers })).body.items[0].last_used_at === null) await sleep(5);
    expect((await call({ url }, `${keys}/${key.key_prefix}/rotate`, { method: 'POST', headers })).status).toBe(200);
    const { status, body } = await slow.finish();
    expect([status, body.error?.message]).toEqual([401, 'The API key has been revoked.']);
  });

  test('the same body is accepted when nobody rotates the key', async () => {
    const { url } = await instances.open();
    const headers = await loggedIn(url, 'alan@example.com');
    const { body: key } = await call({ url }, '/api/v1/owner/auth/api-keys', { headers, body: {} });
    expect((await submission(url, key.api_key).finish()).status).toBe(201);
  });
});

/** Sends the head and half of the body; the rest goes with `finish`. */
function submission(url: string, key: string) {
  const body = JSON.stringify(aSubmission(new Date()));
  const headers = { 'x-api-key': key, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const sent: ClientRequest = request(`${url}/api/v1/agent/decisions`, { method: 'POST', headers });
  sent.write(body.slice(0, 10));
  const answered = once(sent, 'response');
  return {
    async finish() {
      sent.end(body.slice(10));
      const [response] = (await answered) as [IncomingMessage];
      return { status: response.statusCode, body: JSON.parse(await text(response)) };
    },
  };
}

/** The planted fault: the instance remembers accepted keys and accepts them again. */
function remembering({ admission }: PostgresStorage): Partial<Ports> {
  const known = new Map<string, KeyCaller>();
  const remember = (hash: Uint8Array, caller: Caller | null) => {
    const name = Buffer.from(hash).toString('hex');
    if (caller?.credential === 'api_key') known.set(name, caller);
    return known.get(name) ?? null;
  };
  return {
    admission: {
      ...admission,
      async admit(sent) {
        const answer = await admission.admit(sent);
        if (sent.proof?.credential !== 'api_key' || answer.verdict === 'no_active_owner') return answer;
        return { ...answer, caller: remember(sent.proof.key_hash, answer.caller) };
      },
    },
  };
}
