import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { changeRole } from '../../../application/accounts/operators/owner-changes.ts';
import { MINUTE, type Millis, SECOND } from '../../../domain/time.ts';
import { composeSweeps } from '../../../infrastructure/compose/compose-sweeps.ts';
import { aSubmission } from '../../builders/decisions.ts';
import { anAgentAt, type TestAgent } from '../../harness/callers.ts';
import type { FaultServer } from '../../harness/exchanges/fault-server.ts';
import { pegServer } from '../../harness/exchanges/peg-server.ts';
import { march2023 } from '../../harness/pegs/march-2023.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';
import { aPasswordOwner, cookieOf, logIn, OWN_PAGE } from '../../harness/sessions.ts';

const days = march2023();
const at = (time: string) => Date.parse(`2023-03-${time}Z`);
const STABLECOIN = '/api/v1/admin/stablecoin';
const SOUND = {
  justification: 'Deposits are guaranteed, and redemptions at par have resumed.',
  evidence_urls: ['https://www.circle.com/blog', 'https://home.treasury.gov/news/press-releases/jy1337'],
};

describe.each(STORAGES)('the weekend on which USDC lost its peg, with simulated exchanges, on %s', (storage) => {
  let now = at('11T01:30:00');
  let server: FaultServer;
  let service: TestService;
  let agent: TestAgent;
  let operator: { readonly owner_id: string; readonly email: string };

  beforeAll(async () => {
    server = await pegServer((_, coin) => {
      const last = coin === 'USDC' ? days.priceAt(now) : 1.0001;
      return { last, bid: last - 0.0001, ask: last + 0.0001, at: new Date(now - 2 * SECOND) };
    });
    const { url } = server;
    service = await openService(storage, {
      at: new Date(now),
      env: {
        MARKET_DATA_NETWORK: 'true',
        CIRCUIT_MONITOR: 'true',
        MARKET_DATA_KRAKEN_URL: url,
        MARKET_DATA_COINBASE_URL: url,
        CIRCUIT_BITSTAMP_URL: url,
        CIRCUIT_GEMINI_URL: url,
        LIMIT_COOLDOWN_SECONDS: '0',
      },
      timing: { now: () => now, sleep: async () => undefined, random: () => 0.5 },
    });
    agent = await anAgentAt(service);
    operator = await anOperator(service);
  });
  afterAll(async () => {
    await service.close();
    await server.close();
  });

  async function lookAt(time: Millis): Promise<void> {
    now = time;
    await service.arrange.freeze(new Date(now));
    await composeSweeps(service.ports)['observe-pegs']();
  }

  /** Observes every 10 minutes, the longest interval that leaves no gap. */
  async function lookFrom(from: Millis, to: Millis): Promise<void> {
    for (let time = from; time <= to; time += 10 * MINUTE) await lookAt(time);
  }

  const session = async () => ({ cookie: cookieOf(await logIn(service, operator.email)), ...OWN_PAGE });
  const usdc = async () => {
    const { body } = await request(service.app)
      .get(STABLECOIN)
      .set(await session());
    return body[1];
  };
  const resolve = async () => {
    const { status, body } = await request(service.app)
      .post(`${STABLECOIN}/USDC/resolve`)
      .set(await session())
      .send(SOUND);
    return [status, body.error?.code ?? body.state];
  };
  const submit = async () => {
    const quoted = { venue: 'KRAKEN', quote_currency: 'USDC' } as const;
    const { status, body } = await agent.submit(aSubmission(new Date(now), quoted));
    const warnings = body.warnings.map(({ code }: { code: string }) => code);
    return [status, body.cohort_key.split(':')[3], warnings.filter((code: string) => code.startsWith('PEG_'))];
  };

  test('trips after 15 minutes beyond 1 %: submissions count with the dollar until then, and apart from it after', async () => {
    while (now < at('11T02:18:00')) await lookAt(now + MINUTE);
    expect((await usdc()).state).toBe('normal');
    expect(await submit()).toEqual([201, 'usd', []]);
    await lookAt(at('11T02:19:00'));
    const { state, since, reason, peg, recovery } = await usdc();
    expect([state, since, recovery]).toEqual(['tripped', '2023-03-11T02:19:00.000Z', null]);
    expect(reason).toMatch(/^A drift of \d+(\.\d+)? bps: at least 100 bps for 15 minutes\.$/);
    expect(peg.sources.map(({ source }: { source: string }) => source)).toEqual(['kraken', 'bitstamp', 'gemini']);
    expect(await submit()).toEqual([201, 'usdc', ['PEG_TRIPPED']]);
    expect(await resolve()).toEqual([400, 'CIRCUIT_NOT_WARMING']);
  });

  test('stays tripped through the lowest price, and through two days without quotes', async () => {
    await lookFrom(at('11T06:00:00'), at('11T08:00:00'));
    expect(await usdc()).toMatchObject({ state: 'tripped', since: '2023-03-11T02:19:00.000Z', recovery: null });
    now = at('13T13:00:00');
    await service.arrange.freeze(new Date(now));
    expect(await usdc()).toMatchObject({ state: 'tripped', peg: { observed_at: '2023-03-11T08:00:00.000Z' } });
    expect(await submit()).toEqual([201, 'usdc', ['PEG_TRIPPED']]);
  });

  test('warms when the last breach is 24 h away: a resolution is refused until then', async () => {
    await lookFrom(at('13T14:00:00'), at('14T14:50:00'));
    expect(await usdc()).toMatchObject({
      state: 'tripped',
      recovery: { sub_threshold_since: '2023-03-13T15:00:00.000Z', warming_at: '2023-03-14T15:00:00.000Z' },
    });
    expect(await resolve()).toEqual([400, 'CIRCUIT_NOT_WARMING']);
    await lookAt(at('14T15:00:00'));
    expect(await usdc()).toMatchObject({ state: 'warming', since: '2023-03-14T15:00:00.000Z' });
    expect(await submit()).toEqual([201, 'usdc', ['PEG_WARMING']]);
  });

  test('is normal again after a justification with evidence, and every change was logged', async () => {
    expect(await resolve()).toEqual([200, 'normal']);
    expect(await submit()).toEqual([201, 'usd', []]);
    const history = await request(service.app)
      .get(`${STABLECOIN}/USDC/history`)
      .set(await session());
    const seen = history.body.items.map(({ to, cause, actor }: Record<string, string>) => [to, cause, actor]);
    expect(seen).toEqual([
      ['normal', 'resolve', operator.owner_id],
      ['warming', 'recovery', 'monitor'],
      ['tripped', 'auto_trip', 'monitor'],
    ]);
    const entries = service.log.map((line) => JSON.parse(line)).filter(({ coin }) => coin === 'USDC');
    expect(entries.map(({ level, message, state }) => [level, message, state])).toEqual([
      ['warn', 'A circuit has changed', 'tripped'],
      ['warn', 'A circuit has changed', 'warming'],
      ['warn', 'A circuit has changed', 'normal'],
    ]);
  });
});

async function anOperator(service: TestService) {
  const owner = await aPasswordOwner(service);
  await changeRole(service.operators, owner.owner_id, 'admin', 'command line');
  return owner;
}
