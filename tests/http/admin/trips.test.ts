import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { PostgresStorage } from '../../../adapters/postgres/storage.ts';
import { changeRole } from '../../../application/accounts/operators/owner-changes.ts';
import type { Ports } from '../../../application/ports.ts';
import { aSubmission } from '../../builders/decisions.ts';
import { type Instance, type Instances, openInstances } from '../../harness/instances.ts';
import { OWN_PAGE } from '../../harness/sessions.ts';
import { tripUnderLoad } from '../../harness/trips.ts';
import { call, newCaller, PASSWORD } from '../../whole/calls.ts';

/** `TRIPS=500 npm run jest -- tests/http/admin/trips` for a long one. */
const TRIPS = Number(process.env.TRIPS ?? 12);
jest.setTimeout(240_000 + TRIPS * 1_000);

let instances: Instances;

beforeAll(async () => {
  instances = await openInstances({ LIMIT_COOLDOWN_SECONDS: '0', LIMIT_SUBMITS_PER_HOUR: '1000000' });
});
afterAll(() => instances.close());

/** An owner with a key that submits and a session that may trip. */
async function anOperator({ url, operators }: Instance, name: string) {
  const { owner_id, email, api_key: key } = await newCaller({ url }, name);
  await changeRole(operators, owner_id, 'admin', 'command line');
  const login = await call({ url }, '/api/v1/public/auth/login', { body: { email, password: PASSWORD } });
  return { key, headers: { cookie: (login.headers.get('set-cookie') ?? '').replace(/;.*/, ''), ...OWN_PAGE } };
}

async function campaign(first: Instance, second: Instance, name: string, trips: number) {
  const operator = await anOperator(first, name);
  const body = aSubmission(new Date(), { venue: 'BINANCE', quote_currency: 'USDT' });
  const urls = [first.url, second.url];
  return tripUnderLoad({ ...operator, urls, body, trips, circuits: first.ports.circuits });
}

describe('trips on two instances over one database, while agents submit', () => {
  test('no submission that is sent after the reply to a trip lands in the open cohort, on either', async () => {
    const { open, late, escaped } = await campaign(await instances.open(), await instances.open(), 'ada', TRIPS);
    expect(escaped).toBe(0);
    expect(late).toBeGreaterThanOrEqual(TRIPS * 4);
    expect(open).toBeGreaterThanOrEqual(TRIPS);
  });

  test('the check catches an instance that caches circuits', async () => {
    const { escaped } = await campaign(await instances.open(), await instances.open(remembering), 'bob', 6);
    expect(escaped).toBeGreaterThan(0);
  });
});

/** The planted fault: a circuit that was normal once counts as normal. */
function remembering({ circuits, intake }: PostgresStorage): Partial<Ports> {
  let wasNormal = false;
  return {
    intake: {
      ...intake,
      async submit(draft) {
        wasNormal ||= (await circuits.all())[0]?.state === 'normal';
        return intake.submit(wasNormal ? { ...draft, coin: null } : draft);
      },
    },
  };
}
