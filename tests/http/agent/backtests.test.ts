import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { BACKTEST, NOTE } from '../../../domain/limits.ts';
import { DAY } from '../../../domain/time.ts';
import { anAgentAt, type TestAgent } from '../../harness/callers.ts';
import { aPastCall, COHORTS_AT } from '../../harness/cohorts.ts';

import { openService, STORAGES, type TestService } from '../../harness/service.ts';
import { anOwnerLoggedIn, OWN_PAGE } from '../../harness/sessions.ts';

const SETS = '/api/v1/agent/backtests';
const ABOUT = { source: 'a test', horizon_rule: 'two days, for all' };

describe.each(STORAGES)('sets of back-tests, on %s', (storage) => {
  let service: TestService;
  let agent: TestAgent;
  let owner: Awaited<ReturnType<typeof anOwnerLoggedIn>>;
  beforeAll(async () => {
    service = await openService(storage, { at: COHORTS_AT });
    owner = await anOwnerLoggedIn(service);
    agent = await anAgentAt(service, { mate: owner });
  });
  afterAll(() => service.close());

  const post = (set: string, rows: readonly unknown[], about: unknown = ABOUT, by: TestAgent = agent) =>
    request(service.app).post(`${SETS}/${set}`).set('X-API-Key', by.api_key).send({ about, rows });
  const byOwner = (method: 'get' | 'post' | 'delete', path: string) =>
    request(service.app)
      [method](path)
      .set({ cookie: owner.cookie, ...OWN_PAGE });
  const row = (external_id: string, daysAgo: number, changes: object = {}) => ({
    external_id,
    ...aPastCall(daysAgo),
    ...changes,
  });

  test('are made by their first rows, graded, counted and deleted; no record is made of them', async () => {
    const rows = [row('a', 30, { confidence: 0.65 }), row('b', 29, { direction: 'bearish' }), row('c', 28)];
    const sent = await post('spring', rows);
    expect([sent.status, sent.body]).toEqual([200, { accepted: 3, repeated: 0, refused: [] }]);
    const waiting = await agent.get(`${SETS}/spring`);
    expect(waiting.body).toMatchObject({ submission_count: 3, pending_count: 3, ungraded_yet: 3, about: ABOUT });
    await service.settle();
    const { status, body } = await agent.get(`${SETS}/spring`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...{ set: 'spring', agent_id: agent.agent_id, about: ABOUT, ungraded_yet: 0, instruments: 1 },
      ...{ submission_count: 3, evaluated_count: 3, pending_count: 0, unavailable_count: 0 },
      by_direction: { bullish: { submission_count: 2 }, bearish: { submission_count: 1 } },
      by_month: [{ month: '2017-05', submission_count: 3 }],
      by_knowledge_cutoff: { before: { submission_count: 0 }, without: { submission_count: 3 } },
      calibration: [{ confidence_from: 0.6, confidence_to: 0.7 }],
      windows: { instruments: 1, max_concurrent: 3 },
    });
    const counted = Object.values(body.had_said.bullish as Record<string, number>);
    expect(counted.reduce((sum, n) => sum + n, 0)).toBe(3);
    expect((await agent.get('/api/v1/agent/decisions')).body.items).toEqual([]);
    expect((await byOwner('get', `/api/v1/owner/agents/${agent.agent_id}/track-record`)).body).toMatchObject({
      submission_count: 0,
      retroactive: { submission_count: 0 },
    });
    const again = await post('spring', rows);
    expect(again.body).toEqual({ accepted: 0, repeated: 3, refused: [] });
    const set = `/api/v1/owner/agents/${agent.agent_id}/backtests/spring`;
    expect((await byOwner('delete', set)).status).toBe(204);
    expect((await byOwner('delete', set)).status).toBe(404);
    expect((await agent.get(`${SETS}/spring`)).status).toBe(404);
  });

  test('take the sound rows of a request, and say what is wrong with each other one', async () => {
    const { external_id: _, ...nameless } = row('x', 20);
    const reply = await post('faulty', [
      ...[
        row('good', 30),
        nameless,
        row('no id', 30),
        row('unknown', 30, { tags: ['a'] }),
        row('typed', 30, { symbol: 7 }),
      ],
      ...[
        row('open', 0),
        row('hidden', 30, { summary: 'a\u202eb' }),
        'text',
        row('big', 30, { summary: 'x'.repeat(2_000) }),
      ],
      ...[row('later', 30, { model: { knowledge_cutoff: '2017-07-01' } }), row('fine', 29)],
    ]);
    expect([reply.status, reply.body.accepted, reply.body.repeated]).toEqual([200, 2, 0]);
    const refused = reply.body.refused as {
      row: number;
      external_id: string | null;
      details: { path: string; message: string }[];
    }[];
    expect(refused.flatMap(({ details }) => details.map(({ message }) => message)).slice(0, 7)).toEqual([
      'is required: send a string',
      'must be 1 to 64 visible ASCII characters without spaces',
      'is not known here; leave it out',
      'must be a string, not a number',
      expect.stringMatching(/^The window ends at /),
      'must not contain U+202E RIGHT-TO-LEFT OVERRIDE at position 2: remove it',
      'must be an object, not a string',
    ]);
    expect(
      refused.map(({ row: place, external_id, details }) => [place, external_id, details.map(({ path }) => path)]),
    ).toEqual([
      [1, null, ['external_id']],
      [2, null, ['external_id']],
      [3, 'unknown', ['tags']],
      [4, 'typed', ['symbol']],
      [5, 'open', ['horizon_value']],
      [6, 'hidden', ['summary']],
      [7, null, ['']],
      [8, 'big', ['']],
      [9, 'later', ['model.knowledge_cutoff']],
    ]);
  });

  test('say of a row with many faults the first ones: a reply is no multiple of its request', async () => {
    const members = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`m${n}`, 1]));
    const { refused } = (await post('many', [row('a', 30, members)])).body;
    expect(refused).toHaveLength(1);
    expect(refused[0].details).toHaveLength(BACKTEST.details);
  });

  test('are made by no row that is refused, and their `about` is not fixed by one', async () => {
    const refused = await post('none', [row('open', 0), 'text'], { ...ABOUT, source: 'a slip' });
    expect([refused.status, refused.body.accepted, refused.body.refused.length]).toEqual([200, 0, 2]);
    expect((await agent.get(`${SETS}/none`)).status).toBe(404);
    const { items } = (await byOwner('get', '/api/v1/owner/backtests')).body;
    expect(items.map(({ set }: { readonly set: string }) => set)).not.toContain('none');
    expect((await post('none', [row('a', 30)])).body.accepted).toBe(1);
  });

  test('refuse a request as a whole for its frame, and for another `about`', async () => {
    const frames = [
      await post('frame', []),
      await post(
        'frame',
        Array.from({ length: BACKTEST.rowsAtOnce + 1 }, (_, n) => row(`r${n}`, 30)),
      ),
      await post('Frame', [row('a', 30)]),
      await post('frame', [row('a', 30)], { source: 'a test' }),
    ];
    expect(frames.map(({ status }) => status)).toEqual([422, 422, 400, 400]);
    expect((await agent.get(`${SETS}/frame`)).status).toBe(404);
    await post('frame', [row('a', 30)]);
    const other = await post('frame', [row('b', 30)], { ...ABOUT, horizon_rule: 'a week' });
    expect([other.status, other.body.error.details]).toEqual([
      422,
      [
        { path: 'about.source', message: 'must be as in the first request', stored: 'a test' },
        { path: 'about.horizon_rule', message: 'must be as in the first request', stored: 'two days, for all' },
      ],
    ]);
    const large = await post(
      'large',
      Array.from({ length: 700 }, (_, n) => row(`r${n}`, 30, { summary: 'x'.repeat(1_600) })),
    );
    expect([large.status, large.body.error.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });

  test('are sent, read, listed and exported by their owner too, who names the agent', async () => {
    const path = `${SETS}/own?agent_id=${agent.agent_id}`;
    const sent = await byOwner('post', path).send({ about: ABOUT, rows: [row('a', 30), row('b', 29)] });
    expect([sent.status, sent.body.accepted]).toEqual([200, 2]);
    const nameless = await byOwner('get', `${SETS}/own`);
    expect([nameless.status, nameless.body.error.details[0].path]).toEqual([400, 'agent_id']);
    expect((await byOwner('get', path)).body).toMatchObject({ set: 'own', submission_count: 2 });
    const { body: list } = await byOwner('get', '/api/v1/owner/backtests');
    expect(list.items.find(({ set }: { readonly set: string }) => set === 'own')).toMatchObject({
      rows: 2,
      about: ABOUT,
    });
    await service.settle();
    const { status, text, headers } = await byOwner(
      'get',
      `/api/v1/owner/agents/${agent.agent_id}/backtests/own/export`,
    )
      .buffer(true)
      .parse((response, done) => {
        let all = '';
        response.on('data', (piece) => (all += piece));
        response.on('end', () => done(null, all));
      })
      .then((reply) => ({ ...reply, status: reply.status, headers: reply.headers, text: reply.body as string }));
    expect([status, headers['content-disposition']]).toEqual([200, 'attachment; filename="own.jsonl"']);
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ type }) => type)).toEqual(['set', 'row', 'row', 'complete']);
    expect(lines[1]).toMatchObject({
      external_id: 'a',
      row: aPastCall(30),
      state: 'graded',
      outcome: { facts: { method: 'eval/3' } },
      known_at: expect.any(String),
    });
    expect(lines[3]).toEqual({ type: 'complete', rows: 2 });
  });

  test('have notes on graded rows, as of times of the back-test, which recall shows from then on', async () => {
    expect((await post('noted', [row('a', 30), row('b', 20)])).body.refused).toEqual([]);
    const write = (body: object, path = 'noted/notes') =>
      request(service.app).post(`${SETS}/${path}`).set('X-API-Key', agent.api_key).send(body);
    const early = await write({ external_id: 'a', text: 'Too early', as_of: COHORTS_AT.toISOString() });
    expect([early.status, early.body.error.code]).toEqual([409, 'RECORD_OPEN']);
    expect(early.headers['retry-after']).toBeDefined();
    await service.settle();
    const as_of = new Date(COHORTS_AT.getTime() - 15 * DAY).toISOString();
    const first = await write({ external_id: 'a', text: 'Ignored the CPI date', as_of });
    expect([first.status, first.body]).toEqual([201, { as_of, written_at: expect.any(String) }]);
    const again = await write({ external_id: 'a', text: 'Ignored the CPI date', as_of });
    expect([again.status, again.body]).toEqual([200, first.body]);
    const byItsOwner = `${SETS}/noted/notes?agent_id=${agent.agent_id}`;
    const later = new Date(COHORTS_AT.getTime() - 14 * DAY).toISOString();
    const second = { external_id: 'b', text: 'Wait for\nthe open', as_of: later };
    expect((await byOwner('post', byItsOwner).send(second)).status).toBe(201);
    const recalled = async (at: string, symbol = 'BTC') => {
      const query = `market=crypto&symbol=${symbol}&set=noted&as_of=${at}`;
      return (await agent.get(`/api/v1/agent/recall?${query}`)).body;
    };
    const now = await recalled(as_of);
    const shown = { number: 1, text: 'Ignored the CPI date', written_at: as_of };
    expect(
      now.closed.map(({ external_id, notes }: { external_id: string; notes: unknown }) => [external_id, notes]),
    ).toEqual([
      ['b', []],
      ['a', [shown]],
    ]);
    expect(now.text).toContain('Noted 2017-05-21 "Ignored the CPI date"');
    const before = new Date(Date.parse(as_of) - 1).toISOString();
    expect((await recalled(before)).closed.flatMap(({ notes }: { notes: unknown[] }) => notes)).toEqual([]);
    const { elsewhere, text } = await recalled(later, 'ETH');
    expect(elsewhere).toMatchObject([
      { external_id: 'b', symbol: 'BTC', note: { text: 'Wait for\nthe open', written_at: later } },
      { external_id: 'a', note: shown },
    ]);
    expect(elsewhere[0]).not.toHaveProperty('record_id');
    expect(text).toContain('Noted "Wait for the open"');
    expect((await recalled(before, 'ETH')).elsewhere).toEqual([]);
    const copy = await byOwner('get', `/api/v1/owner/agents/${agent.agent_id}/backtests/noted/export`).buffer(true);
    expect(JSON.stringify(copy.body) + copy.text).toContain('Ignored the CPI date');
  });

  test.each([
    ['a time that is to come', { as_of: '2017-07-01T00:00:00Z' }, 422, 'VALIDATION_ERROR', 'as_of'],
    ['a time before the outcome was known', { as_of: '2017-05-06T00:00:00Z' }, 409, 'RECORD_OPEN', null],
    ['a row that is not there', { external_id: 'zz' }, 404, 'NOT_FOUND', null],
    ['no text', { text: ' ' }, 422, 'VALIDATION_ERROR', 'text'],
    ['no time', { as_of: undefined }, 400, 'VALIDATION_ERROR', 'as_of'],
    ['an id with spaces', { external_id: 'a b' }, 422, 'VALIDATION_ERROR', 'external_id'],
  ])('take no note with %s', async (_, changes, status, code, path) => {
    await post('refusing', [row('a', 30)]);
    await service.settle();
    const sent = { external_id: 'a', text: 'x', as_of: COHORTS_AT.toISOString(), ...changes };
    const reply = await request(service.app).post(`${SETS}/refusing/notes`).set('X-API-Key', agent.api_key).send(sent);
    expect([reply.status, reply.body.error.code]).toEqual([status, code]);
    if (path) expect(reply.body.error.details[0].path).toBe(path);
    if (code === 'RECORD_OPEN') expect(reply.body.error.suggestion).toMatch(/^Send an as_of from 2017-05-09T/);
    if (code === 'RECORD_OPEN') expect(reply.headers['retry-after']).toBeUndefined();
    const none = await request(service.app).post(`${SETS}/autumn/notes`).set('X-API-Key', agent.api_key).send(sent);
    if (status === 409 || status === 404) expect(none.status).toBe(404);
  });

  test('have so many notes a row, and a day of them has those on records, too', async () => {
    await post('full', [row('a', 30), row('b', 30)]);
    await service.settle();
    const write = (n: number, external_id = 'a') =>
      request(service.app)
        .post(`${SETS}/full/notes`)
        .set('X-API-Key', agent.api_key)
        .send({ external_id, text: `Note ${n}`, as_of: COHORTS_AT.toISOString() });
    for (let n = 1; n <= NOTE.perRecord; n += 1) expect((await write(n)).status).toBe(201);
    const full = await write(0);
    expect([full.status, full.body.error.code]).toEqual([429, 'TIER_LIMIT_REACHED']);
    expect((await write(0, 'b')).status).toBe(201);
  });

  test('of another owner, and of another agent, do not exist', async () => {
    await post('mine', [row('a', 30)]);
    const [mate, stranger] = [await anAgentAt(service, { mate: owner }), await anAgentAt(service)];
    for (const other of [mate, stranger]) {
      expect((await other.get(`${SETS}/mine`)).status).toBe(404);
      const note = { external_id: 'a', text: 'Not mine', as_of: COHORTS_AT.toISOString() };
      const written = request(service.app).post(`${SETS}/mine/notes`).set('X-API-Key', other.api_key).send(note);
      expect((await written).status).toBe(404);
      expect((await other.get(`${SETS}/mine?agent_id=${agent.agent_id}`)).status).toBe(404);
    }
  });
});

test('a day has so many rows; the refusal says until when, and stores nothing', async () => {
  const service = await openService(STORAGES[0] ?? 'memory', {
    at: COHORTS_AT,
    env: { LIMIT_BACKTEST_ROWS_PER_DAY: '2' },
  });
  const agent = await anAgentAt(service);
  const post = (...ids: readonly string[]) =>
    request(service.app)
      .post(`${SETS}/one`)
      .set('X-API-Key', agent.api_key)
      .send({ about: ABOUT, rows: ids.map((external_id) => ({ external_id, ...aPastCall(30) })) });
  expect((await post('a')).body.accepted).toBe(1);
  const over = await post('b', 'c');
  expect([over.status, over.body.error.code, over.headers['retry-after']]).toEqual([
    429,
    'DAILY_QUOTA_EXCEEDED',
    expect.any(String),
  ]);
  expect(over.body.error.message).toContain('2 rows of back-tests');
  expect((await post('a', 'b')).body).toMatchObject({ accepted: 1, repeated: 1 });
  await service.close();
});

test('a day has so many notes, with those on rows', async () => {
  const service = await openService(STORAGES[0] ?? 'memory', { at: COHORTS_AT, env: { LIMIT_NOTES_PER_DAY: '1' } });
  const agent = await anAgentAt(service);
  const send = (path: string, body: object) =>
    request(service.app).post(`${SETS}/${path}`).set('X-API-Key', agent.api_key).send(body);
  await send('one', { about: ABOUT, rows: [{ external_id: 'a', ...aPastCall(30) }] });
  await service.settle();
  const note = (text: string) => send('one/notes', { external_id: 'a', text, as_of: COHORTS_AT.toISOString() });
  expect((await note('First')).status).toBe(201);
  const over = await note('Second');
  expect([over.status, over.body.error.code]).toEqual([429, 'DAILY_QUOTA_EXCEEDED']);
  expect((await note('First')).status).toBe(200);
  await service.close();
});
