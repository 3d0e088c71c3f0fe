import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { MINUTE } from '../../../../domain/time.ts';
import { aSubmission } from '../../../builders/decisions.ts';
import { aKeyHolder } from '../../../harness/api-keys.ts';
import { openService, STORAGES, type TestService } from '../../../harness/service.ts';

const AT = new Date('2026-03-02T12:00:00.000Z');
const STATUS = '/api/v1/public/auth/status';

describe.each(STORAGES)('the networks of API keys on %s', (storage) => {
  let service: TestService;
  beforeAll(async () => {
    service = await openService(storage, { at: AT, env: { TRUST_PROXY: '1', REAUTH_MINUTES: '10' } });
  });
  afterAll(() => service.close());

  const from = (api_key: string, address: string, path = STATUS) =>
    request(service.app).get(path).set({ 'x-api-key': api_key, 'x-forwarded-for': address });
  const codeOf = ({ status, body }: request.Response) => [status, body.error?.code];

  test('a key is accepted from its networks, and elsewhere the reply says what to do', async () => {
    const holder = await aKeyHolder(service);
    const sent = ['192.0.2.0/24', '2001:DB8:0::/32', '192.0.2.0/24', '::ffff:198.51.100.7'];
    const { status, body } = await holder.create({ allowed_networks: sent });
    const stored = ['192.0.2.0/24', '2001:db8::/32', '198.51.100.7/32'];
    expect([status, body.allowed_networks]).toEqual([201, stored]);
    expect((await holder.list()).body.items[0].allowed_networks).toEqual(stored);
    const inside = ['192.0.2.7', '::ffff:192.0.2.7', '2001:db8:1::1', '[2001:db8::1]:4711', '198.51.100.7:80'];
    for (const address of inside) expect([address, (await from(body.api_key, address)).status]).toEqual([address, 200]);
    for (const [address, kind] of [
      ['192.0.3.7', 'IPv4 network'],
      ['2001:db9::1', 'IPv6 network'],
      ['unknown', 'this network'],
    ] as const) {
      const refused = await from(body.api_key, address);
      expect(codeOf(refused)).toEqual([403, 'KEY_NETWORK_REFUSED']);
      expect(refused.body.error.message).toContain(kind);
      expect(refused.body.error.suggestion).toContain('allowed_networks');
    }
    const submission = request(service.app).post('/api/v1/agent/decisions').send(aSubmission(AT));
    const submitted = await submission.set({ 'x-api-key': body.api_key, 'x-forwarded-for': '192.0.3.7' });
    expect(codeOf(submitted)).toEqual([403, 'KEY_NETWORK_REFUSED']);
    expect(codeOf(await from(body.api_key, '192.0.3.7', '/api/v1/owner/dashboard'))).toEqual([401, 'UNAUTHORIZED']);
  });

  test.each([
    [['10.1.2.3/16'], 'allowed_networks.0'],
    [['10.0.0.0/8', 'here'], 'allowed_networks.1'],
    [[], 'allowed_networks'],
    [Array.from({ length: 21 }, (_, n) => `10.0.${n}.0/24`), 'allowed_networks'],
  ])('400 for the networks %j', async (allowed_networks, path) => {
    const holder = await aKeyHolder(service);
    const { key_prefix } = (await holder.create()).body;
    for (const reply of [
      await holder.create({ allowed_networks }),
      await holder.update(key_prefix, { allowed_networks }),
    ]) {
      expect(codeOf(reply)).toEqual([400, 'VALIDATION_ERROR']);
      expect(reply.body.error.details[0].path).toBe(path);
    }
    expect((await holder.list()).body.items).toHaveLength(1);
  });

  test('the owner changes and removes them, alone or with the mode, after a recent login', async () => {
    const holder = await aKeyHolder(service);
    const { api_key, key_prefix } = (await holder.create()).body;
    const reply = await holder.update(key_prefix, { allowed_networks: ['192.0.2.7'], permission_mode: 'read_only' });
    const { allowed_networks, permission_mode } = reply.body;
    expect([reply.status, allowed_networks, permission_mode]).toEqual([200, ['192.0.2.7/32'], 'read_only']);
    expect((await from(api_key, '192.0.2.8')).status).toBe(403);
    expect((await holder.update(key_prefix, { allowed_networks: null })).body).toMatchObject({
      allowed_networks: null,
      permission_mode: 'read_only',
    });
    expect((await from(api_key, '192.0.2.8')).status).toBe(200);
    expect(codeOf(await holder.update(key_prefix, {}))).toEqual([400, 'VALIDATION_ERROR']);
    expect(codeOf(await holder.update('sbk_00000000', { allowed_networks: null }))).toEqual([404, 'NOT_FOUND']);
    const audited = (await service.ports.audit.about(key_prefix, 10)).map(({ action, detail }) => [action, detail]);
    expect(audited.slice(0, 2)).toEqual([
      ['set_key_networks', { networks: 0 }],
      ['set_key_networks', { networks: 1 }],
    ]);
    await service.arrange.advance(11 * MINUTE);
    const late = await holder.update(key_prefix, { allowed_networks: ['192.0.2.7'] });
    expect(codeOf(late)).toEqual([401, 'REAUTHENTICATION_REQUIRED']);
    expect((await holder.update(key_prefix, { permission_mode: 'read_only' })).status).toBe(200);
  });

  test('refusals are in the trail of the owner, counted by network', async () => {
    const holder = await aKeyHolder(service);
    const { api_key, key_prefix } = (await holder.create({ allowed_networks: ['192.0.2.7'] })).body;
    for (const address of ['203.0.113.1', '203.0.113.2', '198.18.0.1']) await from(api_key, address);
    const { body } = await request(service.app)
      .get('/api/v1/owner/security-events?kind=key_refused')
      .set(holder.headers);
    const shown = body.items.map(({ result, subject, count }: Record<string, unknown>) => [result, subject, count]);
    expect(shown).toEqual([
      ['failure', key_prefix, 1],
      ['failure', key_prefix, 2],
    ]);
  });
});
