import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { aSubmission } from '../../builders/decisions.ts';
import { ORIGIN, openServiceWithProvider, type ServiceWithProvider } from '../../harness/identity/service.ts';
import { tokensOf } from '../../harness/identity/tokens.ts';
import { STORAGES } from '../../harness/service.ts';
import { bodyIn, messageIn, post, toolCall } from './stage.ts';

const AT = new Date();
const METADATA = `${ORIGIN}/.well-known/oauth-protected-resource/mcp`;
const host = new URL(ORIGIN).host;

describe.each(STORAGES)('bearers at /mcp, on %s', (storage) => {
  let service: ServiceWithProvider;
  let token: string;
  let other: string;
  beforeAll(async () => {
    service = await openServiceWithProvider(storage, { at: AT });
    const tokens = await tokensOf(service.provider, 'ada');
    [token, other] = [tokens.access_token, tokens.id_token];
  });
  afterAll(() => service.close());
  const send = (message: string, bearer: string) =>
    post(service.app, { host, authorization: `Bearer ${bearer}` }, message);

  test('the metadata name the provider, and the resource under which clients ask for tokens', async () => {
    const { status, body } = await request(service.app).get(new URL(METADATA).pathname).set({ host });
    expect(status).toBe(200);
    expect(body).toEqual({
      resource: `${ORIGIN}/mcp`,
      authorization_servers: [service.provider.issuer],
      bearer_methods_supported: ['header'],
      resource_name: 'Stancebook',
    });
  });

  test('a 401 names the metadata, for a missing token and one for another audience', async () => {
    for (const reply of [
      await post(service.app, { host }, toolCall('get_limits')),
      await send(toolCall('get_limits'), 'not.a.token'),
      await send(toolCall('get_limits'), other),
    ]) {
      expect(reply.status).toBe(401);
      expect(reply.headers['www-authenticate']).toBe(`Bearer realm="stancebook", resource_metadata="${METADATA}"`);
    }
  });

  test('a bearer reads; a submission is FORBIDDEN, and says how to get a key', async () => {
    const read = messageIn(await send(toolCall('get_limits'), token));
    expect(bodyIn(read.result ?? { content: [] })).toMatchObject({ credential: 'owner_bearer', can_submit: false });
    const call = toolCall('submit_decision', JSON.stringify({ decision: aSubmission(AT) }));
    const { error } = bodyIn(messageIn(await send(call, token)).result ?? { content: [] });
    expect(error).toMatchObject({
      code: 'FORBIDDEN',
      suggestion: expect.stringContaining('POST /api/v1/owner/auth/api-keys'),
    });
  });

  test('only the host and the origin of PUBLIC_URL are served', async () => {
    const bearer = { authorization: `Bearer ${token}` };
    const sendTo = async (headers: Record<string, string>) =>
      (await post(service.app, { ...bearer, ...headers }, toolCall('get_limits'))).status;
    expect(await sendTo({ host, origin: ORIGIN })).toBe(200);
    expect(await sendTo({ host, origin: 'http://localhost:5173' })).toBe(403);
    expect(await sendTo({ host: 'localhost' })).toBe(421);
  });
});
