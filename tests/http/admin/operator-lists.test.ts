import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { changeRole } from '../../../application/accounts/operators/owner-changes.ts';
import { observe } from '../../../domain/circuits/observe.ts';
import { MINUTE } from '../../../domain/time.ts';
import { aSubmission } from '../../builders/decisions.ts';
import { anAgentAt, type TestAgent } from '../../harness/callers.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';
import { aPasswordOwner, cookieOf, logIn, NO_RATE_LIMITS, OWN_PAGE } from '../../harness/sessions.ts';

/** A Monday in the session of New York, within the packaged prices of MSFT. */
const MONDAY = new Date('2014-06-02T15:00:00.000Z');
const AFTERWARDS = new Date('2014-06-07T00:00:00.000Z');
const DAYS = { horizon_kind: 'trading_days', horizon_value: 3 } as const;
const MSFT = { market: 'stock', symbol: 'MSFT', venue: 'NASDAQ', ...DAYS } as const;

describe.each(STORAGES)('the lists of operators, on %s', (storage) => {
  let service: TestService;
  let agent: TestAgent;
  let admin: { readonly owner_id: string; readonly email: string };
  let headers: Readonly<Record<string, string>>;
  beforeAll(async () => {
    service = await openService(storage, { at: MONDAY, env: { ...NO_RATE_LIMITS, LIMIT_COOLDOWN_SECONDS: '0' } });
    agent = await anAgentAt(service);
    const { owner_id, email } = await aPasswordOwner(service);
    admin = { owner_id, email: email ?? '' };
    await changeRole(service.operators, owner_id, 'admin', 'command line');
  });
  beforeEach(() => logInNow());
  afterAll(() => service.close());

  async function logInNow() {
    headers = { cookie: cookieOf(await logIn(service, admin.email)), ...OWN_PAGE };
  }
  const get = async (path: string) => {
    const { status, body } = await request(service.app).get(`/api/v1/admin/${path}`).set(headers);
    expect([status, body.error]).toEqual([200, undefined]);
    return body;
  };
  const post = (path: string, body: object) =>
    request(service.app).post(`/api/v1/admin/${path}`).set(headers).send(body);
  /** All items of all pages of one item. */
  async function every(path: string) {
    const items: Readonly<Record<string, unknown>>[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: { items: typeof items; next_cursor: string | null } = await get(
        `${path}${path.includes('?') ? '&' : '?'}limit=1${cursor && `&cursor=${cursor}`}`,
      );
      items.push(...page.items);
      cursor = page.next_cursor;
    }
    return items;
  }

  test('records under quarantine, until they are released with a reason', async () => {
    const submitted: string[] = [];
    for (const minutes of [0, 1, 2]) {
      await service.arrange.freeze(new Date(MONDAY.getTime() + minutes * MINUTE));
      submitted.push((await agent.submit(aSubmission(MONDAY, MSFT))).body.record_id);
    }
    await service.settle();
    await service.arrange.freeze(AFTERWARDS);
    await service.settle();
    await logInNow();
    for (const id of submitted) await post(`decisions/${id}/quarantine`, { reason: `of ${id}` });
    const listed = await every('quarantined-decisions');
    expect(listed).toEqual(
      submitted
        .toReversed()
        .map((record_id) =>
          expect.objectContaining({ record_id, owner_id: agent.owner_id, reason: `of ${record_id}`, graded: true }),
        ),
    );
    expect(Object.keys(listed[0] ?? {})).not.toContain('reasoning');
    expect(await every(`quarantined-decisions?owner_id=${agent.owner_id}`)).toEqual(listed);
    expect(await every(`quarantined-decisions?owner_id=${randomUUID()}`)).toEqual([]);
    const [first = ''] = submitted;
    const released = await post(`decisions/${first}/release`, { reason: 'a mistake' });
    expect([released.status, released.body]).toEqual([
      200,
      { record_id: first, lifecycle_state: 'evaluated', changed: true },
    ]);
    expect((await post(`decisions/${first}/release`, { reason: 'again' })).body).toMatchObject({ changed: false });
    expect(await service.ports.audit.about(first, 2)).toMatchObject([
      { actor: admin.owner_id, action: 'release', detail: { changed: false, reason: 'again' } },
      { actor: admin.owner_id, action: 'release', detail: { changed: true, reason: 'a mistake' } },
    ]);
    expect((await every('quarantined-decisions')).map(({ record_id }) => record_id)).toEqual(
      submitted.slice(1).toReversed(),
    );
    const missing = await post('decisions/dec_20140602_00000000/release', { reason: 'none' });
    expect([missing.status, missing.body.error.code]).toEqual([404, 'NOT_FOUND']);
    expect((await post(`decisions/${first}/release`, { reason: ' ' })).status).toBe(400);
  });

  test('the audit log by actor, action, subject and time, each entry once over its pages', async () => {
    const mine = await every(`audit-log?actor=${admin.owner_id}`);
    expect(mine.length).toBeGreaterThan(3);
    const seqs = mine.map(({ seq }) => Number(seq));
    expect(seqs).toEqual([...new Set(seqs)].toSorted((a, b) => b - a));
    const [newest] = mine;
    expect(await every(`audit-log?action=release&subject=${newest?.subject}`)).toEqual(
      mine.filter(({ action, subject }) => action === 'release' && subject === newest?.subject),
    );
    const at = String(newest?.at);
    expect((await every(`audit-log?until=${at}`)).every((entry) => String(entry.at) < at)).toBe(true);
    expect((await every(`audit-log?since=${at}`)).every((entry) => String(entry.at) >= at)).toBe(true);
    expect(await every('audit-log?action=nothing')).toEqual([]);
    const { next_cursor } = await get('audit-log?limit=1');
    const other = await request(service.app)
      .get(`/api/v1/admin/audit-log?limit=1&action=release&cursor=${next_cursor}`)
      .set(headers);
    expect(other.status).toBe(400);
  });

  test('instruments by their state, and the refreshes that are queued', async () => {
    const nothing = { last_error: null, attempts: 0, retry_at: null, listing: null, checked_at: MONDAY } as const;
    const named = (symbol: string) =>
      ({ market: 'stock', symbol, venue: 'NYSE', asset_class: 'spot', quote_currency: 'USD' }) as const;
    await service.ports.instruments.put({ instrument: named('AAB'), status: 'rejected', ...nothing });
    await service.ports.instruments.put({ instrument: named('AAA'), status: 'unreachable', ...nothing });
    const job_id = randomUUID();
    await service.ports.instruments.requestRefresh({ instrument: named('AAC'), job_id }, MONDAY);
    expect(await get('instruments?status=rejected')).toMatchObject({ items: [{ instrument: named('AAB') }] });
    expect(await get('instruments?status=queued&symbol=AAC')).toEqual({
      items: [
        {
          ...{
            instrument: named('AAC'),
            status: null,
            checked_at: null,
            retry_at: null,
            attempts: 0,
            last_error: null,
          },
          refresh: { job_id, requested_at: MONDAY.toISOString() },
        },
      ],
      next_cursor: null,
    });
    const all = (await every('instruments')).map(({ instrument }) => (instrument as { symbol: string }).symbol);
    expect(all.filter((symbol) => symbol.startsWith('AA'))).toEqual(['AAA', 'AAB', 'AAC']);
    expect(all).toContain('MSFT');
  });

  test("the history of a coin's peg in stretches of equal length", async () => {
    const start = Math.floor(AFTERWARDS.getTime() / (5 * MINUTE)) * 5 * MINUTE;
    for (const [minute, price] of [0.999, 1.001, 0.98].entries()) {
      const at = new Date(start + (minute === 2 ? 5 : minute) * MINUTE);
      await service.arrange.freeze(at);
      const quotes = ['kraken', 'coinbase'].map((source) => ({ source, price, at }));
      await service.ports.circuits.transition('USDC', (circuit, now) =>
        observe(circuit, quotes, now, { id: randomUUID(), autoTrip: false }),
      );
    }
    await logInNow();
    expect(await get('stablecoin/USDC/observations')).toMatchObject({
      coin: 'USDC',
      step_seconds: 300,
      stretches: [
        { from: new Date(start).toISOString(), low: 0.999, high: 1.001, last: 1.001, drift_bps: 10, observations: 2 },
        { low: 0.98, high: 0.98, last: 0.98, drift_bps: 200, observations: 1 },
      ],
    });
    expect((await get('stablecoin/USDC/observations?hours=192')).step_seconds).toBe(2_400);
    expect((await get('stablecoin/USDT/observations')).stretches).toEqual([]);
  });
});
