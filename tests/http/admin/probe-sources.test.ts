import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import request from 'supertest';
import { changeRole } from '../../../application/accounts/operators/owner-changes.ts';
import { askSources } from '../../../application/market/probe-sources.ts';
import { SOURCE_PROBES } from '../../../domain/limits.ts';
import { SourceUnavailable } from '../../../domain/market/market-data.ts';
import type { SourceProbe } from '../../../domain/market/source-health.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';
import { aPasswordOwner, cookieOf, logIn, NO_RATE_LIMITS, OWN_PAGE } from '../../harness/sessions.ts';

const AT = new Date('2026-03-02T12:00:00.000Z');
const NEWEST = new Date('2026-03-02T11:59:00.000Z');
const KRAKEN = { source: 'kraken', subject: 'crypto:BTC:KRAKEN:spot:USD' };
const BYBIT = { source: 'bybit', subject: 'crypto:BTC:BYBIT:spot:USDT' };

describe.each(STORAGES)('a request to each source, on %s', (storage) => {
  let service: TestService;
  let cookie: string;
  let owner_id: string;
  let asked = 0;
  let probes: readonly SourceProbe[] = [];
  const good = {
    ...KRAKEN,
    async request() {
      asked += 1;
      return { at: NEWEST.getTime() };
    },
  };
  const silent = { ...BYBIT, request: async () => null };
  const refused = {
    ...BYBIT,
    async request(): Promise<null> {
      throw new SourceUnavailable('bybit answered 503');
    },
  };
  beforeAll(async () => {
    const ports = () => ({ sourceProbes: () => probes });
    service = await openService(storage, { at: AT, env: NO_RATE_LIMITS, ports });
    const owner = await aPasswordOwner(service);
    ({ owner_id } = owner);
    const email = owner.email ?? '';
    await changeRole(service.operators, email, 'admin', 'ada (test)');
    cookie = cookieOf(await logIn(service, email));
  });
  afterAll(() => service.close());
  afterEach(() => service.arrange.advance(SOURCE_PROBES.every));

  const probe = () =>
    request(service.app)
      .post('/api/v1/admin/sources/probe')
      .set({ cookie, ...OWN_PAGE });

  test('200 with what each source answered, and an entry of the audit log', async () => {
    probes = [good, silent, refused];
    const { status, body } = await probe();
    const latency_ms = expect.any(Number);
    expect([status, body]).toEqual([
      200,
      {
        sources: [
          { ...KRAKEN, ok: true, latency_ms, newest: NEWEST.toISOString(), error: null },
          { ...BYBIT, ok: false, latency_ms, newest: null, error: 'The reply contains no price.' },
          { ...BYBIT, ok: false, latency_ms, newest: null, error: 'bybit answered 503' },
        ],
      },
    ]);
    expect(await service.ports.audit.about('probe_sources', 1)).toEqual([
      expect.objectContaining({ actor: owner_id, action: 'probe_sources', detail: { sources: ['kraken', 'bybit'] } }),
    ]);
  });

  test('of eight requests at once, and of one after another, only the first asks the sources', async () => {
    probes = [good];
    asked = 0;
    const all = await Promise.all(Array.from({ length: 8 }, probe));
    expect(all.map(({ status }) => status).toSorted()).toEqual([200, ...Array(7).fill(429)]);
    await service.arrange.advance(SOURCE_PROBES.every - 1_500);
    const { status, body } = await probe();
    expect([status, body.error.code, body.error.retry_after_seconds]).toEqual([429, 'RATE_LIMIT_EXCEEDED', 2]);
    expect([asked, (await service.ports.audit.list({ action: 'probe_sources', since: AT }, 10)).length]).toEqual([
      1, 2,
    ]);
    await service.arrange.advance(1_500);
    expect([(await probe()).status, asked]).toEqual([200, 2]);
  });

  test('without a live source there is nothing to ask, as often as one likes', async () => {
    probes = [];
    const before = await service.ports.audit.head();
    for (let times = 0; times < 2; times += 1) expect((await probe()).body).toEqual({ sources: [] });
    expect(await service.ports.audit.head()).toEqual(before);
  });
});

test('a source that never answers has failed after the longest time', async () => {
  jest.useFakeTimers();
  try {
    const asking = askSources([{ ...KRAKEN, request: () => new Promise(() => undefined) }]);
    await jest.advanceTimersByTimeAsync(SOURCE_PROBES.longest);
    expect(await asking).toMatchObject([{ ok: false, error: 'gave no answer within 20 seconds' }]);
  } finally {
    jest.useRealTimers();
  }
});
