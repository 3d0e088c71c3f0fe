import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { CONTRACT_LIMITS } from '../../../domain/limits.ts';
import { DAY, HOUR } from '../../../domain/time.ts';
import { aSubmission } from '../../builders/decisions.ts';
import { race } from '../../contracts/adapters.ts';
import { anAgentAt } from '../../harness/callers.ts';
import { coveredPrices } from '../../harness/covered-prices.ts';
import { aDesigner, type TestDesigner } from '../../harness/designers.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';
import { OWN_PAGE } from '../../harness/sessions.ts';

const AT = new Date('2017-06-05T12:20:00.000Z');
const TERMS = { terms_version: '1.0', privacy_version: '1.0', source: 'a test' };
const UNTIL_MIDNIGHT = (12 * HOUR - 20 * 60_000) / 1_000;

describe.each(STORAGES)('what is kept for ever, on %s', (storage) => {
  let service: TestService;
  beforeEach(async () => {
    service = await openService(storage, {
      ports: coveredPrices,
      at: AT,
      env: {
        ...{ LIMIT_PUBLICATIONS_PER_DAY: '3', LIMIT_PUBLISHED_BYTES_PER_DAY: '5000', LIMIT_ACCEPTANCES_PER_DAY: '2' },
        ...{ LIMIT_ACCOUNT_CHANGES_PER_DAY: '3', LIMIT_KEPT_OWNERS_PER_NETWORK: '2' },
        ...{ LIMIT_AGENT_HOURS_PER_NETWORK: '2', LIMIT_SUBMIT_MEAN_BYTES: '1', LIMIT_COOLDOWN_SECONDS: '0' },
      },
    });
  });
  afterEach(() => service.close());

  const published = async (owner: TestDesigner, times: number, changes = {}) => {
    const id = await owner.made(changes);
    return race(times, () => owner.publish(id));
  };
  const codes = (replies: readonly request.Response[]) =>
    replies.map(({ body }) => body.error?.code ?? 'done').toSorted();

  test('publications: as many as the day has, also at once; the refusal says how many, and when it ends', async () => {
    const owner = await aDesigner(service);
    const replies = await published(owner, 5);
    expect(codes(replies)).toEqual(['DAILY_QUOTA_EXCEEDED', 'DAILY_QUOTA_EXCEEDED', 'done', 'done', 'done']);
    const refused = replies.find(({ status }) => status === 429);
    expect(refused?.body.error).toMatchObject({
      category: 'quota_exceeded',
      message: 'An account may keep 3 publications of workflows in a UTC day; 3 were kept today.',
      suggestion: 'Wait until 2017-06-06T00:00:00.000Z, or ask the operator for a larger limit.',
      retry_after_seconds: UNTIL_MIDNIGHT,
    });
    expect(refused?.headers['retry-after']).toBe(String(UNTIL_MIDNIGHT));
  });

  test('snapshots: as many bytes as the day has; content that is stored already has none', async () => {
    const owner = await aDesigner(service);
    const config = (n: number) => ({ description: String(n).repeat(1_000) });
    expect(codes(await published(owner, 2, config(1)))).toEqual(['done', 'done']);
    const [full] = await published(owner, 1, { ...config(2), tags: ['t'.repeat(40)], name: 'n'.repeat(120) });
    const sizes = [full?.status, full?.body.error?.message];
    expect(sizes).toEqual([200, undefined]);
    const other = await aDesigner(service);
    expect(codes(await published(other, 1, config(3)))).toEqual(['done']);
    expect(codes(await published(other, 1, config(4)))).toEqual(['done']);
    const [refused] = await published(other, 1, config(5));
    expect(refused?.body.error.message).toMatch(
      /^An account may keep 5000 bytes of publications of workflows in a UTC day; \d+ bytes are kept today, and this one has \d+\.$/,
    );
  });

  test('a network keeps as much as two owners, and on the next day again', async () => {
    const owners = [await aDesigner(service), await aDesigner(service), await aDesigner(service)];
    const accept = ({ post }: TestDesigner) => post('/legal-acceptance', TERMS);
    const replies = await race(6, (n) => accept(owners[n % 3] as TestDesigner));
    expect(codes(replies)).toEqual([...Array(2).fill('DAILY_QUOTA_EXCEEDED'), ...Array(4).fill('done')]);
    expect(replies.find(({ status }) => status === 429)?.body.error.message).toBe(
      'A network may keep 4 acceptances of the terms in a UTC day; 4 were kept today.',
    );
    await service.arrange.advance(DAY);
    for (const owner of owners.slice(0, 1)) await owner.logInAgain();
    expect((await accept(owners[0] as TestDesigner)).status).toBe(200);
  });

  test('changes of keys: rights that are taken away are never refused', async () => {
    const owner = await aDesigner(service);
    const keys = '/api/v1/owner/auth/api-keys';
    const send = (method: 'post' | 'patch' | 'delete', path: string, body = {}) =>
      request(service.app)
        [method](`${keys}${path}`)
        .set({ cookie: owner.cookie(), ...OWN_PAGE })
        .send(body);
    const { key_prefix } = (await send('post', '', { agent_name: 'One' })).body;
    for (const permission_mode of ['read_only', 'read_write', 'read_only', 'read_only'])
      expect((await send('patch', `/${key_prefix}`, { permission_mode })).status).toBe(200);
    const { body: rotated } = await send('post', `/${key_prefix}/rotate`);
    for (const [path, body] of [
      ['', { agent_name: 'Two' }],
      [`/${rotated.key_prefix}/rotate`, {}],
    ] as const)
      expect((await send('post', path, body)).body.error).toMatchObject({
        code: 'DAILY_QUOTA_EXCEEDED',
        message: 'An account may keep 3 changes of keys, agents and webhooks in a UTC day; 3 were kept today.',
      });
    const raised = await send('patch', `/${rotated.key_prefix}`, { permission_mode: 'read_write' });
    expect(raised.body.error.code).toBe('DAILY_QUOTA_EXCEEDED');
    expect((await send('delete', `/${rotated.key_prefix}`)).status).toBe(204);
    const written = (await service.ports.audit.page({}, null, 50)).map(({ action }) => action);
    expect(written.filter((action) => action === 'set_key_mode')).toHaveLength(3);
  });

  test('submissions: the bytes of an agent’s hour', async () => {
    const agent = await anAgentAt(service);
    const large = aSubmission(AT, { summary: 'x'.repeat(4_000), meta: `{"a":"${'y'.repeat(4_000)}"}` });
    const send = () => agent.submit({ ...large, meta: JSON.parse(large.meta ?? '') });
    const replies = [];
    for (let n = 0; n < 9; n += 1) replies.push(await send());
    const refused = replies.at(-1);
    expect(replies.slice(0, -2).map(({ status }) => status)).toEqual(Array(7).fill(201));
    expect(refused?.body.error).toMatchObject({ code: 'SUBMIT_FREQUENCY_EXCEEDED', retry_after_seconds: 2_400 });
    expect(refused?.body.error.message).toMatch(
      /^An agent may submit bodies of 65536 bytes in a UTC hour; \d{5} bytes are used in this one\.$/,
    );
    expect(refused?.body.error.suggestion).toMatch(/or send a body of at most \d+ bytes\.$/);
    const preview = await agent.preview({ ...large, meta: JSON.parse(large.meta ?? '') });
    expect(preview.body.would_wait).toEqual([{ code: 'SUBMIT_FREQUENCY_EXCEEDED', retry_after_seconds: 2_400 }]);
    expect((await agent.submit(aSubmission(AT))).status).toBe(201);
  });

  test('submissions: the hours that agents of a network begin', async () => {
    const agents = [await anAgentAt(service), await anAgentAt(service), await anAgentAt(service)];
    const replies = [];
    for (const agent of agents) replies.push(await agent.submit(aSubmission(AT)));
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 429]);
    expect(replies[2]?.body.error).toMatchObject({
      code: 'DAILY_QUOTA_EXCEEDED',
      message: 'Agents of one network may submit in 2 of their hours a UTC day; all of them are used today.',
      retry_after_seconds: UNTIL_MIDNIGHT,
    });
    const preview = await agents[2]?.preview(aSubmission(AT));
    expect(preview?.body.would_wait).toEqual([{ code: 'DAILY_QUOTA_EXCEEDED', retry_after_seconds: UNTIL_MIDNIGHT }]);
  });
});

test('ordinary bodies pass at the full frequency of ten agents, the largest do not', () => {
  const hour = CONTRACT_LIMITS.submitsPerHour * CONTRACT_LIMITS.submitMeanBytes;
  expect(CONTRACT_LIMITS.submitsPerHour * 2_048).toBeLessThan(hour);
  expect(CONTRACT_LIMITS.submitsPerHour * 65_536).toBeGreaterThan(hour);
  expect(10 * 24).toBeLessThan(CONTRACT_LIMITS.agentHoursPerNetwork);
});
