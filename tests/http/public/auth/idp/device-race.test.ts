import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createHttpServer } from '../../../../../adapters/http/kit/server.ts';
import { hashOfKey } from '../../../../../application/accounts/keys/issue-key.ts';
import { MINUTE, SECOND } from '../../../../../domain/time.ts';
import { openServiceWithProvider, type ServiceWithProvider } from '../../../../harness/identity/service.ts';
import { decideOnDevice } from '../../../../harness/identity/tokens.ts';
import { callerByKey } from '../../../../harness/known-callers.ts';
import { STORAGES } from '../../../../harness/service.ts';

// DEVICE_RACE=20x50 runs the whole race, a thousand polls at once; the default is a short one.

const AT = new Date('2026-03-02T12:00:00.000Z');
const START = '/api/v1/public/auth/idp/device';
const [CODES = 10, POLLS_EACH = 20] = (process.env.DEVICE_RACE ?? '10x20').split('x').map(Number);
const PATIENCE = 120 * SECOND;

interface Started {
  readonly device_code: string;
  readonly verification_uri_complete: string;
}

interface PollResult {
  readonly status: number;
  readonly code: string;
  readonly api_key?: string;
}

describe.each(STORAGES)(`${CODES * POLLS_EACH} polls at once of ${CODES} device codes, on %s`, (storage) => {
  let service: ServiceWithProvider;
  let server: ReturnType<typeof createHttpServer>;
  let address: AddressInfo;
  let codes: readonly Started[];
  beforeAll(async () => {
    service = await openServiceWithProvider(storage, { at: AT });
    server = createHttpServer(service.app);
    address = await server.listen(0, '127.0.0.1');
    codes = [];
    for (let code = 0; code < CODES; code += 1) codes = [...codes, (await (await post(START)).json()) as Started];
  }, PATIENCE);
  afterAll(async () => {
    await server.close(SECOND);
    await service.close();
  });

  const post = (path: string, body?: object) =>
    fetch(`http://127.0.0.1:${address.port}${path}`, {
      method: 'POST',
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });

  /** Polls each code `POLLS_EACH` times, all at once, in turns. */
  function pollAll(): Promise<readonly PollResult[]> {
    const polls = Array.from({ length: CODES * POLLS_EACH }, async (_, turn): Promise<PollResult> => {
      const reply = await post(`${START}/poll`, { device_code: codes[turn % CODES]?.device_code });
      const { error, api_key } = (await reply.json()) as { error?: { code: string }; api_key?: string };
      return { status: reply.status, code: error?.code ?? 'issued', ...(api_key !== undefined && { api_key }) };
    });
    return Promise.all(polls);
  }

  const tally = (results: readonly PollResult[]) =>
    Object.fromEntries([...Map.groupBy(results, ({ code }) => code)].map(([code, all]) => [code, all.length]));
  const exchanges = () => service.provider.requests.filter((each) => each === 'POST /token').length;

  test(
    'before any user has decided, the service asks the provider once for each code',
    async () => {
      expect(tally(await pollAll())).toEqual({ AUTHORIZATION_PENDING: CODES, SLOW_DOWN: CODES * (POLLS_EACH - 1) });
      expect(exchanges()).toBe(CODES);
    },
    PATIENCE,
  );

  test(
    'once all are approved, each code gives one key by one exchange, however often it is polled',
    async () => {
      for (const { verification_uri_complete } of codes) await decideOnDevice(randomUUID(), verification_uri_complete);
      const before = exchanges();
      await service.arrange.advance(MINUTE);
      const [first, second] = [await pollAll(), await pollAll()];
      const keys = [...first, ...second].flatMap(({ api_key }) => api_key ?? []);
      expect([first, second].map((results) => tally(results).issued)).toEqual([CODES, undefined]);
      expect(tally(second)).toEqual({ EXPIRED_TOKEN: CODES * POLLS_EACH });
      expect(new Set(keys).size).toBe(CODES);
      expect(exchanges() - before).toBe(CODES);
      const { admission } = service.ports;
      const callers = await Promise.all(keys.map((key) => callerByKey(admission, { key_hash: hashOfKey(key) })));
      expect(new Set(callers.map((caller) => caller?.owner_id)).size).toBe(CODES);
    },
    PATIENCE,
  );
});
