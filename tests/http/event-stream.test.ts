import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { issueKey } from '../../application/accounts/keys/issue-key.ts';
import { EVENT_STREAMS } from '../../domain/limits.ts';
import { HOUR } from '../../domain/time.ts';
import { A_SOURCE } from '../builders/accounts.ts';
import { auditedModeration } from '../builders/audited-moderation.ts';
import { aSubmission } from '../builders/decisions.ts';
import { anAgentAt, type TestAgent } from '../harness/callers.ts';
import { openEventStream, type ReadStream, until } from '../harness/event-source.ts';
import { anOwnerWithAgent, type TestOwner } from '../harness/owners.ts';
import { openService, STORAGES, type TestService } from '../harness/service.ts';
import { LOGOUT, OWN_PAGE } from '../harness/sessions.ts';

const AT = new Date('2026-03-02T12:00:00.000Z');
const RELEASE = new Date('2026-03-03T12:00:00.000Z');
const AGENT = '/api/v1/agent/events';
const OWNER = '/api/v1/owner/events';
const MOST = 4;

describe.each(STORAGES)('streams of events, on %s', (storage) => {
  let service: TestService;
  let server: Server;
  let owner: TestOwner;
  let record_id: string;
  const open: ReadStream[] = [];
  beforeAll(async () => {
    const limits = { tick: 20, heartbeat: 100, judge: 100, slow: 100, most: MOST };
    service = await openService(storage, { at: AT, streams: { limits } });
    server = createServer(service.app);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    owner = await anOwnerWithAgent(service);
    record_id = (await owner.agent.submit(aSubmission(AT))).body.record_id;
    await change();
  });
  afterEach(async () => {
    for (const stream of open.splice(0)) stream.close();
    await until(() => service.streams.figures().open === 0);
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await service.close();
  });

  const stream = async (
    path: string,
    headers: Readonly<Record<string, string>>,
    lastEventId = '',
  ): Promise<ReadStream> => {
    const opened = await openEventStream({
      port: (server.address() as AddressInfo).port,
      path,
      headers,
      lastEventId,
    });
    open.push(opened);
    return opened;
  };
  const byKey = ({ api_key }: Pick<TestAgent, 'api_key'> = owner.agent) => ({ 'x-api-key': api_key });
  /** Two events. */
  async function change(id = record_id): Promise<void> {
    const moderation = auditedModeration(service.ports);
    await moderation.quarantine(id, 'a test', RELEASE);
    await moderation.release(id);
    await service.arrange.settle();
  }
  const feed = async (query = '') => (await owner.agent.get(`${AGENT}?limit=100${query}`).expect(200)).body;
  /** A stream that has read all events that there are. */
  const following = async (path: string, headers: Readonly<Record<string, string>>) => {
    const opened = await stream(path, headers);
    expect(opened.status).toBe(200);
    await until(() => opened.comments.length > 0);
    return opened;
  };

  test.each([undefined, '*/*', 'application/json', 'text/html', 'application/json, text/event-stream;q=0.5'])(
    'with Accept %s the reply is JSON',
    async (accept) => {
      const { headers } = await owner.agent.get(AGENT).set(accept === undefined ? {} : { accept });
      expect([headers['content-type'], headers.vary]).toEqual(['application/json; charset=utf-8', 'accept, origin']);
    },
  );

  test('a stream has the events of the feed, each with its cursor, and heartbeats', async () => {
    const { status, headers, reader, events, comments } = await stream(AGENT, byKey());
    expect([status, headers['content-type'], headers.vary]).toEqual([200, 'text/event-stream', 'accept, origin']);
    expect([headers['x-accel-buffering'], headers['cache-control'], headers['content-length']]).toEqual([
      'no',
      'no-store, no-transform',
      undefined,
    ]);
    expect([headers['x-quota-resource'], headers['x-request-id']]).toEqual(['none', expect.any(String)]);
    const { items } = await feed();
    await until(() => events.length >= items.length && comments.length > 1);
    expect(events.map(({ data }) => JSON.parse(data))).toEqual(items);
    expect(events.map(({ type }) => type)).toEqual(items.map(({ type }: { type: string }) => type));
    expect(reader.retry).toBeGreaterThanOrEqual(EVENT_STREAMS.retry);
    for (const [n, { id }] of events.entries()) {
      expect((await feed(`&after=${id}`)).items).toEqual(items.slice(n + 1));
    }
  });

  test('an owner is sent a submission as it happens, an agent is not', async () => {
    const own = await stream(`${OWNER}?after=now`, { cookie: owner.cookie() });
    const ofAgent = await stream(`${AGENT}?after=now`, byKey());
    await until(() => own.comments.length > 0 && ofAgent.comments.length > 0);
    const { body } = await owner.agent.submit(aSubmission(AT, { symbol: 'LTC' }));
    await until(() => own.events.length > 0);
    expect(own.events.map(({ data }) => JSON.parse(data))).toMatchObject([
      { type: 'decision.submitted', data: { record_id: body.record_id, agent_id: owner.agent.agent_id } },
    ]);
    await change(body.record_id);
    await until(() => ofAgent.events.length >= 2);
    expect(ofAgent.events.map(({ type }) => type)).not.toContain('decision.submitted');
  });

  test('an owner gets the events of all agents, or of one', async () => {
    const mate = await anAgentAt(service, { mate: owner });
    const other = (await mate.submit(aSubmission(AT, { symbol: 'ETH' }))).body.record_id;
    await change(other);
    const cookie = { cookie: owner.cookie() };
    const { body } = await owner.get('/events?limit=100');
    const all = await stream(OWNER, cookie);
    await until(() => all.events.length >= body.items.length);
    expect(all.events.map(({ data }) => JSON.parse(data))).toEqual(body.items);
    const one = await stream(`${OWNER}?agent_id=${mate.agent_id}`, cookie);
    await until(() => one.events.length >= 2);
    await change(record_id);
    await change(other);
    await until(() => one.events.length >= 4);
    expect(new Set(one.events.map(({ data }) => JSON.parse(data).data.record_id))).toEqual(new Set([other]));
  });

  test('what happens is sent, to each reader alone, and circuits to all', async () => {
    const { next_cursor } = await feed();
    const stranger = await anOwnerWithAgent(service);
    const mine = await stream(`${AGENT}?after=${next_cursor}`, byKey());
    const theirs = await following(AGENT, byKey(stranger.agent));
    await change();
    await service.arrange.circuit('USDT', 'tripped');
    await service.arrange.settle();
    const isCircuit = ({ type }: { readonly type: string }) => type === 'circuit.changed';
    await until(() => [mine, theirs].every(({ events }) => events.some(isCircuit)));
    expect(mine.events.map(({ type }) => type)).toEqual([
      'decision.quarantined',
      'decision.released',
      'circuit.changed',
    ]);
    expect(theirs.events.every(isCircuit)).toBe(true);
    expect(mine.events.map(({ data }) => JSON.parse(data))).toEqual((await feed(`&after=${next_cursor}`)).items);
    await service.arrange.circuit('USDT', 'normal');
    await service.arrange.settle();
  });

  test('a client goes on from the last id, whatever the query of its first request was', async () => {
    const first = await stream(AGENT, byKey());
    await until(() => first.events.length >= 2);
    first.close();
    const { id } = first.events[0] ?? { id: '' };
    const { items, next_cursor } = await feed(`&after=${id}`);
    const second = await stream(`${AGENT}?after=${next_cursor}`, byKey(), id);
    await until(() => second.events.length >= items.length);
    expect(second.events.map(({ data }) => JSON.parse(data))).toEqual(items);
  });

  test('a cursor of another reader is 400, and a key without an agent 403, before any event', async () => {
    const { next_cursor } = await feed();
    const stranger = await anAgentAt(service);
    const byHeader = await stream(AGENT, byKey(stranger), next_cursor);
    expect([byHeader.status, (await byHeader.json()).error.details?.[0]?.path]).toEqual([400, 'last-event-id']);
    const byQuery = await stream(`${AGENT}?after=${next_cursor}`, byKey(stranger));
    expect([byQuery.status, (await byQuery.json()).error.details?.[0]?.path]).toEqual([400, 'after']);
    const unbound = await anAgentAt(service, { mate: owner, bound: false });
    const refused = await stream(AGENT, byKey(unbound));
    expect([refused.status, (await refused.json()).error.code]).toEqual([403, 'KEY_UNBOUND']);
    expect((await stream(AGENT, {})).status).toBe(401);
    expect(service.streams.figures().open).toBe(0);
  });

  test('HEAD has the head of a stream, and opens none', async () => {
    const { status, headers, text } = await request(server).head(AGENT).set(byKey()).set('accept', 'text/event-stream');
    expect([status, headers['content-type'], text]).toEqual([200, 'text/event-stream', undefined]);
    expect(service.streams.figures().open).toBe(0);
  });

  test('a newer stream of the same credential ends the older one, and no other', async () => {
    const session = await following(OWNER, { cookie: owner.cookie() });
    const older = await following(AGENT, byKey());
    const newer = await following(AGENT, byKey());
    expect(await older.reason()).toBe('replaced');
    expect(older.reader.retry).toBe(EVENT_STREAMS.retryReplaced);
    expect(service.streams.figures().open).toBe(2);
    await change();
    await until(() => newer.events.length > 1 && session.events.length > 1);
  });

  test('beyond the ceiling a stream is 503 with Retry-After, one that replaces its own is served', async () => {
    const agents = [owner.agent];
    for (let n = 1; n < MOST; n += 1) agents.push(await anAgentAt(service));
    const streams = await Promise.all(agents.map((agent) => following(AGENT, byKey(agent))));
    const before = service.streams.figures().refused;
    const further = await anAgentAt(service);
    const refused = await stream(AGENT, byKey(further));
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '5']);
    expect([(await refused.json()).error.code, service.streams.figures().refused]).toEqual([
      'SERVICE_UNAVAILABLE',
      before + 1,
    ]);
    expect((await stream(AGENT, byKey())).status).toBe(200);
    streams[1]?.close();
    await until(() => service.streams.figures().open < MOST);
    expect((await stream(AGENT, byKey(further))).status).toBe(200);
  });

  describe('a stream ends when its credential is not valid any more:', () => {
    const ENDS: Readonly<
      Record<string, (holder: TestOwner, key: Awaited<ReturnType<typeof aKey>>) => Promise<unknown>>
    > = {
      'the key was revoked': ({ owner_id }, { key_prefix }) => service.ports.apiKeys.revoke(owner_id, key_prefix),
      'the key has expired': () => service.arrange.advance(HOUR),
      'the network is not allowed any more': ({ owner_id }, { key_prefix }) =>
        service.ports.apiKeys.change(owner_id, key_prefix, { allowed_networks: ['192.0.2.0/24'] }),
      'the owner was suspended': ({ owner_id }) => service.operators.ownerAdministration.suspend(owner_id),
    };

    async function aKey(holder: TestOwner) {
      const { agent } = holder;
      const bounds = { expires_at: new Date(AT.getTime() + HOUR), allowed_networks: null };
      const terms = { agent_id: agent.agent_id, permission_mode: 'read_only', label: null, created_at: AT } as const;
      return issueKey(service.ports, { owner_id: holder.owner_id, tier: 'free' }, { ...terms, ...bounds }, A_SOURCE);
    }

    test.each(Object.keys(ENDS))('%s', async (name) => {
      const holder = await anOwnerWithAgent(service);
      const key = await aKey(holder);
      const stays = await following(AGENT, byKey());
      const ends = await following(AGENT, byKey(key));
      await ENDS[name]?.(holder, key);
      expect(await ends.reason()).toBe('credential');
      expect([stays.events.some(({ type }) => type === 'stream.ended'), service.streams.figures().open]).toEqual([
        false,
        1,
      ]);
      await service.arrange.freeze(AT);
    });

    test('the session was ended', async () => {
      const holder = await anOwnerWithAgent(service);
      const cookie = { cookie: holder.cookie() };
      const ends = await following(OWNER, cookie);
      await request(service.app).post(LOGOUT).set(cookie).set(OWN_PAGE).expect(204);
      expect(await ends.reason()).toBe('credential');
      expect((await stream(OWNER, cookie)).status).toBe(401);
    });
  });

  test('ends and open streams are counted, and each end is a line of the log', async () => {
    const { ended } = service.streams.figures();
    const reads = await following(AGENT, { ...byKey(), 'x-request-id': `of-${storage}` });
    const scrape = async () => (await request(service.app).get('/metrics')).text;
    expect(await scrape()).toContain('\nstancebook_event_streams 1\n');
    reads.close();
    await until(() => service.streams.figures().open === 0);
    expect(await scrape()).toContain(`stancebook_event_streams_ended_total{reason="client"} ${ended.client + 1}\n`);
    const lines = service.log
      .map((line) => JSON.parse(line))
      .filter(({ request_id }) => request_id === `of-${storage}`);
    expect(lines).toMatchObject([
      { message: 'request', status: 200, route: AGENT },
      { message: 'stream ended', reason: 'client', count: reads.events.length, duration_ms: expect.any(Number) },
    ]);
  });
});

describe('a stream of events', () => {
  let service: TestService;
  let server: Server;
  let agent: TestAgent;
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await service.close();
  });

  async function serve(options: Parameters<typeof openService>[1]) {
    service = await openService('memory', options);
    server = createServer(service.app);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    agent = await anAgentAt(service);
  }
  const read = (lastEventId = '') =>
    openEventStream({
      port: (server.address() as AddressInfo).port,
      path: AGENT,
      headers: { 'x-api-key': agent.api_key },
      lastEventId,
    });

  test('ends after its longest time with the place to go on from', async () => {
    await serve({ at: AT, streams: { limits: { tick: 10, heartbeat: 20, longest: 40 } } });
    const { body } = await agent.submit(aSubmission(AT));
    const first = await read();
    expect(await first.reason()).toBe('lifetime');
    const place = first.reader.lastEventId;
    expect(place).not.toBe('');
    await auditedModeration(service.ports).quarantine(body.record_id, 'a test', RELEASE);
    const second = await read(place);
    await until(() => second.events.length > 0);
    expect(second.events[0]?.type).toBe('decision.quarantined');
  });

  test('ends when the process stops, which opens no more', async () => {
    await serve({ at: AT, streams: { limits: { tick: 10, heartbeat: 20 } } });
    const open = await read();
    await until(() => open.comments.length > 0);
    service.streams.close();
    expect(await open.reason()).toBe('shutdown');
    expect((await read()).status).toBe(503);
  });

  test('ends when the database was restored', async () => {
    const ports = (plain: TestService['ports']) => ({ events: { ...plain.events, news: async () => null } });
    await serve({ at: AT, streams: { limits: { tick: 10, heartbeat: 20 } }, ports });
    expect(await (await read()).reason()).toBe('restored');
  });

  test('ends when its events cannot be read at its beginning', async () => {
    const page = () => Promise.reject(new Error('the database is gone'));
    const ports = (plain: TestService['ports']) => ({ events: { ...plain.events, page } });
    const faults: unknown[] = [];
    const streams = { limits: { tick: 10, heartbeat: 20 }, onFault: (fault: unknown) => void faults.push(fault) };
    await serve({ at: AT, streams, ports });
    expect(await (await read()).reason()).toBe('unavailable');
    expect(faults).toHaveLength(1);
  });

  test('outlives a database that does not answer: it lives, reports once, and sends what happened', async () => {
    let isDown = false;
    const ports = (plain: TestService['ports']) => ({
      admission: {
        ...plain.admission,
        judgeAgain: (...held: Parameters<typeof plain.admission.judgeAgain>) =>
          isDown ? Promise.reject(new Error('the database is gone')) : plain.admission.judgeAgain(...held),
      },
    });
    const faults: unknown[] = [];
    const streams = {
      limits: { tick: 5, heartbeat: 10, judge: 10 },
      onFault: (fault: unknown) => void faults.push(fault),
    };
    await serve({ at: AT, streams, ports });
    const { body } = await agent.submit(aSubmission(AT));
    const open = await read();
    await until(() => open.comments.length > 0);
    isDown = true;
    await until(() => faults.length > 0);
    await auditedModeration(service.ports).quarantine(body.record_id, 'a test', RELEASE);
    const before = open.comments.length;
    await until(() => open.comments.length > before + 3);
    expect([open.events, faults.length]).toEqual([[], 1]);
    isDown = false;
    await until(() => open.events.length > 0);
    expect(open.events[0]?.type).toBe('decision.quarantined');
  });
});
