import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { changeRole } from '../../../application/accounts/operators/owner-changes.ts';
import { observe } from '../../../domain/circuits/observe.ts';
import { DAY, HOUR, MINUTE } from '../../../domain/time.ts';
import { bringTo, quotesOf } from '../../builders/circuits.ts';
import { aSubmission } from '../../builders/decisions.ts';
import { anAgentAt, type TestAgent } from '../../harness/callers.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';
import { anOwnerLoggedIn, aPasswordOwner, cookieOf, logIn, OWN_PAGE } from '../../harness/sessions.ts';

const AT = new Date('2026-03-02T12:00:00.000Z');
const STABLECOIN = '/api/v1/admin/stablecoin';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const SOUND = { justification: 'redeemed at par again', evidence_urls: ['https://example.com/a?b=c'] };
const UNTOUCHED = { state: 'normal', since: null, snapshot_id: null, reason: null, peg: null, recovery: null };

describe.each(STORAGES)('the circuits of stablecoins, on %s', (storage) => {
  let service: TestService;
  let admin: { readonly owner_id: string; readonly email: string };
  let operator: Record<string, string>;
  beforeAll(async () => {
    service = await openService(storage, { at: AT, env: { LIMIT_COOLDOWN_SECONDS: '0' } });
    admin = await aPasswordOwner(service);
    await changeRole(service.operators, admin.owner_id, 'admin', 'command line');
  });
  beforeEach(async () => {
    await service.arrange.freeze(AT);
    operator = { cookie: cookieOf(await logIn(service, admin.email)), ...OWN_PAGE };
  });
  afterAll(() => service.close());

  const get = (path: string) => request(service.app).get(`${STABLECOIN}${path}`).set(operator);
  const post = (path: string, body: object) =>
    request(service.app).post(`${STABLECOIN}${path}`).set(operator).send(body);
  const codeOf = ({ status, body }: request.Response) => [status, body.error?.code];
  const pathsOf = ({ body }: request.Response) => body.error.details.map(({ path }: { path: string }) => path);
  const audited = async (coin: string) =>
    (await service.ports.audit.about(coin, 1)).map(({ actor, action, detail, at }) => ({ actor, action, detail, at }));
  const look = (drift: number) =>
    service.ports.circuits.transition('USDT', (circuit, now) =>
      observe(circuit, quotesOf(drift, now), now, { id: crypto.randomUUID(), autoTrip: true }),
    );

  test('the list has both coins, even before any observation or trip', async () => {
    const { status, body } = await get('');
    expect([status, body]).toEqual([
      200,
      [
        { coin: 'USDT', ...UNTOUCHED },
        { coin: 'USDC', ...UNTOUCHED },
      ],
    ]);
    expect((await get('/USDC/history')).body).toEqual({ items: [], next_cursor: null });
  });

  test('200 for a trip: tripped, in the list, in the history, in the audit log and in the log', async () => {
    const { status, body } = await post('/USDC/trip', { reason: ' redemptions are paused ' });
    const reason = 'redemptions are paused';
    const tripped = { ...UNTOUCHED, coin: 'USDC', state: 'tripped', since: AT.toISOString(), reason };
    expect([status, body]).toEqual([200, { ...tripped, snapshot_id: expect.stringMatching(UUID) }]);
    expect((await get('')).body[1]).toEqual(body);
    const { snapshot_id: id } = body;
    const change = { coin: 'USDC', from: 'normal', to: 'tripped', cause: 'trip', at: AT.toISOString() };
    const reasons = { actor: admin.owner_id, reason, justification: null, evidence_urls: null };
    expect((await get('/USDC/history')).body.items).toEqual([{ id, ...change, ...reasons }]);
    const detail = { snapshot_id: id, from: 'normal', to: 'tripped', reason };
    expect(await audited('USDC')).toEqual([{ actor: admin.owner_id, action: 'trip_circuit', detail, at: AT }]);
    const lines = service.log.map((line) => JSON.parse(line));
    const entry = { level: 'warn', message: 'A circuit has changed', coin: 'USDC', state: 'tripped', snapshot_id: id };
    expect(lines).toContainEqual(expect.objectContaining(entry));
  });

  test.each(['normal', 'warming', 'tripped'] as const)('a trip works from %s', async (state) => {
    await bringTo(service.ports.circuits, 'USDT', state);
    expect((await post('/USDT/trip', { reason: 'again' })).body.state).toBe('tripped');
    expect((await get('/USDT/history?limit=1')).body.items[0]).toMatchObject({ from: state, to: 'tripped' });
  });

  test('200 for the resolution of a warming circuit; the audit log has the justification and the evidence', async () => {
    await bringTo(service.ports.circuits, 'USDT', 'warming');
    const { status, body } = await post('/USDT/resolve', SOUND);
    expect([status, body.state, body.reason, body.recovery]).toEqual([200, 'normal', SOUND.justification, null]);
    const [snapshot] = (await get('/USDT/history?limit=1')).body.items;
    expect(snapshot).toMatchObject({ ...SOUND, reason: null, from: 'warming', to: 'normal', cause: 'resolve' });
    const detail = { snapshot_id: snapshot.id, from: 'warming', to: 'normal', ...SOUND };
    expect(await audited('USDT')).toEqual([{ actor: admin.owner_id, action: 'resolve_circuit', detail, at: AT }]);
  });

  test.each(['tripped', 'normal'] as const)('400 CIRCUIT_NOT_WARMING while %s, and nothing changes', async (state) => {
    await bringTo(service.ports.circuits, 'USDT', state);
    const before = [(await get('')).body, await audited('USDT')];
    const refused = await post('/USDT/resolve', SOUND);
    expect([...codeOf(refused), refused.body.error.category]).toEqual([400, 'CIRCUIT_NOT_WARMING', 'input_invalid']);
    expect([(await get('')).body, await audited('USDT')]).toEqual(before);
  });

  test.each([
    ['/USDT/trip', {}, ['reason']],
    ['/USDT/trip', { reason: '' }, ['reason']],
    ['/USDT/trip', { reason: '   ' }, ['reason']],
    ['/USDT/trip', { reason: 'x'.repeat(501) }, ['reason']],
    ['/USDT/trip', { reason: 7 }, ['reason']],
    ['/USDT/trip', { reason: 'x', coin: 'USDT' }, ['coin']],
    ['/DAI/trip', { reason: 'x' }, ['coin']],
    ['/usdt/trip', { reason: 'x' }, ['coin']],
    ['/DAI/resolve', SOUND, ['coin']],
    ['/USDT/resolve', {}, ['justification', 'evidence_urls']],
    ['/USDT/resolve', { ...SOUND, justification: undefined }, ['justification']],
    ['/USDT/resolve', { ...SOUND, justification: ' ' }, ['justification']],
    ['/USDT/resolve', { ...SOUND, evidence_urls: undefined }, ['evidence_urls']],
    ['/USDT/resolve', { ...SOUND, evidence_urls: [] }, ['evidence_urls']],
    ['/USDT/resolve', { ...SOUND, evidence_urls: 'https://example.com' }, ['evidence_urls']],
    ['/USDT/resolve', { ...SOUND, evidence_urls: Array(21).fill('https://example.com') }, ['evidence_urls']],
    ['/USDT/resolve', { ...SOUND, evidence_urls: ['https://example.com', 'http://example.com'] }, ['evidence_urls.1']],
    ['/USDT/resolve', { ...SOUND, evidence_urls: ['https://user@example.com'] }, ['evidence_urls.0']],
    ['/USDT/resolve', { ...SOUND, evidence_urls: [`https://example.com/${'x'.repeat(2_029)}`] }, ['evidence_urls.0']],
  ])('400 VALIDATION_ERROR: %s %.60j names %j', async (path, body, paths) => {
    await bringTo(service.ports.circuits, 'USDT', 'warming');
    const refused = await post(path, body);
    expect(codeOf(refused)).toEqual([400, 'VALIDATION_ERROR']);
    expect(pathsOf(refused)).toEqual(paths);
    expect((await get('')).body[0].state).toBe('warming');
  });

  test('the peg and the recovery are shown as they are observed, up to the warming and the resolution', async () => {
    await bringTo(service.ports.circuits, 'USDT', 'normal');
    for (const minute of [0, 1, 2]) {
      await service.arrange.freeze(new Date(AT.getTime() + minute * MINUTE));
      await look(250);
    }
    const tripped = new Date(AT.getTime() + 2 * MINUTE);
    const [wild] = (await get('')).body;
    expect(wild).toMatchObject({ state: 'tripped', since: tripped.toISOString(), recovery: null });
    expect(wild.reason).toContain('200 bps in 3 observations');
    expect(wild.peg).toEqual({
      price: 0.975,
      drift_bps: 250,
      sources: quotesOf(250, tripped).map((quote) => ({ ...quote, at: tripped.toISOString() })),
      observed_at: tripped.toISOString(),
    });
    for (let at = tripped.getTime() + 10 * MINUTE; at <= tripped.getTime() + DAY; at += 10 * MINUTE) {
      await service.arrange.freeze(new Date(at));
      await look(20);
    }
    const session = { cookie: cookieOf(await logIn(service, admin.email)), ...OWN_PAGE };
    operator = session;
    const [calm] = (await get('')).body;
    const sub_threshold_since = new Date(tripped.getTime() + 10 * MINUTE).toISOString();
    const warming_at = new Date(tripped.getTime() + DAY + 10 * MINUTE).toISOString();
    expect([calm.state, calm.recovery]).toEqual(['tripped', { sub_threshold_since, warming_at }]);
    expect(codeOf(await post('/USDT/resolve', SOUND))).toEqual([400, 'CIRCUIT_NOT_WARMING']);
    await service.arrange.advance(10 * MINUTE);
    await look(20);
    const [warm] = (await get('')).body;
    expect(warm).toMatchObject({ state: 'warming', since: warming_at, recovery: { sub_threshold_since, warming_at } });
    const { items } = (await get('/USDT/history?limit=2')).body;
    expect(items.map(({ cause, actor }: { cause: string; actor: string }) => [cause, actor])).toEqual([
      ['recovery', 'monitor'],
      ['auto_trip', 'monitor'],
    ]);
    expect((await post('/USDT/resolve', SOUND)).body.state).toBe('normal');
  });

  describe('the history', () => {
    test('goes back page by page to the first change, and each page of one coin', async () => {
      const { body: all } = await get('/USDT/history?limit=100');
      expect(all.items.length).toBeGreaterThan(10);
      const ids: string[] = [];
      let next: string | null = '';
      while (next !== null) {
        const { body } = await get(`/USDT/history?limit=3${next === '' ? '' : `&cursor=${next}`}`);
        ids.push(...body.items.map(({ id }: { id: string }) => id));
        next = body.next_cursor;
      }
      expect(ids).toEqual(all.items.map(({ id }: { id: string }) => id));
    });

    test.each(['limit=0', 'limit=101', 'limit=x', 'cursor=made-up', 'cursor=a.b', 'since=2026', 'limit=1&limit=2'])(
      '400 VALIDATION_ERROR for %s',
      async (query) => {
        expect(codeOf(await get(`/USDT/history?${query}`))).toEqual([400, 'VALIDATION_ERROR']);
      },
    );

    test('400 for a cursor of the other coin', async () => {
      const { body } = await get('/USDT/history?limit=1');
      const other = await get(`/USDC/history?cursor=${body.next_cursor}`);
      expect([...codeOf(other), pathsOf(other)]).toEqual([400, 'VALIDATION_ERROR', ['cursor']]);
    });
  });

  test('403 ADMIN_REQUIRED for everyone else on every path, whatever they send, and nothing changes', async () => {
    const agent = await anAgentAt(service);
    const owner = await anOwnerLoggedIn(service);
    const before = (await get('')).body;
    const strangers: Record<string, string>[] = [
      {},
      { 'x-api-key': agent.api_key },
      { 'x-api-key': agent.api_key, ...operator },
      { authorization: 'Bearer guess' },
      { cookie: owner.cookie, ...OWN_PAGE },
    ];
    const calls = [
      ['get', STABLECOIN, undefined],
      ['get', `${STABLECOIN}/USDT/history`, undefined],
      ['get', `${STABLECOIN}/DAI/history`, undefined],
      ['post', `${STABLECOIN}/USDT/trip`, { reason: 'x' }],
      ['post', `${STABLECOIN}/USDT/trip`, {}],
      ['post', `${STABLECOIN}/DAI/trip`, { reason: 'x' }],
      ['post', `${STABLECOIN}/USDT/resolve`, SOUND],
    ] as const;
    for (const headers of strangers) {
      for (const [method, path, body] of calls) {
        const reply = await request(service.app)[method](path).set(headers).send(body);
        expect([path, ...codeOf(reply)]).toEqual([path, 403, 'ADMIN_REQUIRED']);
      }
    }
    const foreign = { ...operator, 'sec-fetch-site': 'cross-site' };
    const forged = await request(service.app).post(`${STABLECOIN}/USDT/trip`).set(foreign).send({ reason: 'x' });
    expect(codeOf(forged)).toEqual([403, 'CROSS_ORIGIN_SESSION']);
    expect((await get('')).body).toEqual(before);
  });

  describe('the effect on a submission that is sent after the reply', () => {
    const codes = ({ body }: request.Response) => body.warnings.map(({ code }: { code: string }) => code);
    let agent: TestAgent;
    beforeEach(async () => {
      agent = await anAgentAt(service);
      await bringTo(service.ports.circuits, 'USDT', 'normal');
    });
    const tether = aSubmission(AT, { venue: 'BINANCE', quote_currency: 'USDT' });

    test('isolated after a trip, folded after the resolution, in the preview too', async () => {
      const isolated = 'crypto:btc:spot:usdt:bullish:intraday:opinion';
      expect((await agent.submit(tether)).body.cohort_key).not.toBe(isolated);
      const { snapshot_id } = (await post('/USDT/trip', { reason: 'x' })).body;
      const submitted = await agent.submit(tether);
      expect([submitted.body.cohort_key, codes(submitted)[0]]).toEqual([isolated, 'PEG_TRIPPED']);
      expect((await agent.read(submitted.body.record_id)).body.isolation_snapshot_id).toBe(snapshot_id);
      expect((await agent.preview(tether)).body.normalized.cohort_key).toBe(isolated);
      await service.arrange.advance(HOUR);
      await bringTo(service.ports.circuits, 'USDT', 'warming');
      expect(codes(await agent.submit(tether))[0]).toBe('PEG_WARMING');
      await post('/USDT/resolve', SOUND);
      expect((await agent.submit(tether)).body.cohort_key).not.toBe(isolated);
      expect((await agent.read(submitted.body.record_id)).body.cohort_key).toBe(isolated);
    });
  });

  test('where tripped coins are refused: 422 from the trip on, accepted once warming, and other coins always', async () => {
    const strict = await openService(storage, { at: AT, env: { CIRCUIT_TRIPPED_SUBMITS: 'refuse' } });
    const owner = await aPasswordOwner(strict);
    await changeRole(strict.operators, owner.owner_id, 'admin', 'command line');
    const session = { cookie: cookieOf(await logIn(strict, owner.email)), ...OWN_PAGE };
    const scout = await anAgentAt(strict);
    const quoted = (quote_currency: string, symbol: string) =>
      aSubmission(AT, { venue: quote_currency === 'USD' ? 'COINBASE' : 'BINANCE', quote_currency, symbol });
    await request(strict.app).post(`${STABLECOIN}/USDT/trip`).set(session).send({ reason: 'x' });
    for (const refused of [await scout.submit(quoted('USDT', 'BTC')), await scout.preview(quoted('USDT', 'BTC'))]) {
      const { code, category, suggestion } = refused.body.error;
      expect([refused.status, code, category]).toEqual([422, 'STABLECOIN_CIRCUIT_OPEN', 'service_degraded']);
      expect(suggestion).toContain('USD');
    }
    expect((await scout.submit(quoted('USDC', 'ETH'))).status).toBe(201);
    expect((await scout.submit(quoted('USD', 'SOL'))).status).toBe(201);
    await bringTo(strict.ports.circuits, 'USDT', 'warming');
    expect((await scout.submit(quoted('USDT', 'BTC'))).status).toBe(201);
    await strict.close();
  });
});
