import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { NASDAQ, OTHER } from '../adapters/market/symbol-files.ts';
import { copyPreparedData } from '../harness/prepared-data.ts';
import { type Caller, call, newCaller, type Reply, VECTOR } from './calls.ts';
import { makeFolder, type RunningService, removeFolder, startService, stopService } from './service.ts';

const folder = makeFolder();
const served: Record<string, string> = { '/nasdaqlisted.txt': NASDAQ, '/otherlisted.txt': OTHER };
const server = createServer((request, response) => void response.end(served[request.url ?? '']));
let service: RunningService;
let caller: Caller;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = { MARKET_DATA_NETWORK: 'true', MARKET_DATA_SYMBOLS_URL: url, LOG_LEVEL: 'info' };
  service = await startService(await copyPreparedData(join(folder, 'data')), { env });
  caller = await newCaller(service, 'reader');
});
afterAll(async () => {
  await stopService(service);
  server.close();
  removeFolder(folder);
});

test('a ticker that was listed yesterday is accepted once the files have been fetched, and is suggested', async () => {
  const deadline = Date.now() + 90_000;
  let reply = await preview('NEWCO');
  while (reply.status === 422 && Date.now() < deadline) {
    expect(reply.body.error.code).toBe('INVALID_SYMBOL');
    await sleep(200);
    reply = await preview('NEWCO');
  }
  expect(reply.status).toBe(200);
  const slip = await preview('NEWCP');
  expect([slip.body.error.code, slip.text]).toEqual(['INVALID_SYMBOL', expect.stringContaining('NEWCO')]);
});

/** Validates it and stores nothing, so that no source is queried for it. */
function preview(symbol: string): Promise<Reply> {
  const body = { ...VECTOR, symbol, price_targets: undefined };
  return call(service, '/api/v1/agent/decisions?validate_only=true', { key: caller.api_key, body });
}
