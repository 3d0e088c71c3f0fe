import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { refreshInstrumentEndpoint } from '../../../adapters/http/routes/admin/instruments.ts';
import { sweepBench } from '../../application/grading/bench.ts';
import { madePrices } from '../../builders/prices.ts';
import { decisionAdapters, type OpenedDecisions } from '../../contracts/decisions/adapters.ts';
import { testApp } from '../app.ts';
import { ADMIN } from '../example.ts';

const BTC = { market: 'crypto', symbol: 'BTC', venue: 'BINANCE', asset_class: 'spot', quote_currency: 'USDT' };
const OPERATOR = { authorization: 'Bearer admin-token' };

describe.each(decisionAdapters.slice(0, 2))('$name', ({ open }) => {
  let opened: OpenedDecisions;
  let ask: (path: string, headers?: Record<string, string>) => request.Test;

  beforeAll(async () => {
    opened = await open();
    const { ports } = await sweepBench(opened, madePrices());
    const { app } = testApp([refreshInstrumentEndpoint(ports)]);
    ask = (path, headers = OPERATOR) => request(app).post(`/api/v1/admin/instruments/${path}/refresh`).set(headers);
  });
  afterAll(() => opened.close());

  test('202 with the instrument in its normal spelling; a second request in any spelling is already_queued', async () => {
    const first = await ask('crypto/BTC/BINANCE/spot/USDT');
    expect(first.status).toBe(202);
    expect(first.body).toEqual({ instrument: BTC, status: 'queued', job_id: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    for (const spelling of ['BTC-USDT', 'btc%2Fusdt', 'BTCUSDT', '%20btc%20']) {
      const again = await ask(`CRYPTO/${spelling}/binance/Spot/usdt`);
      expect([again.status, again.body]).toEqual([202, { ...first.body, status: 'already_queued' }]);
    }
  });

  test('an unknown instrument is queued, too, with one spelling for class shares', async () => {
    const { status, body } = await ask('stock/zzzz-b/NYSE/spot/USD');
    expect([status, body.instrument.symbol, body.status]).toEqual([202, 'ZZZZ.B', 'queued']);
  });

  test.each([
    ['crypto/btc-usdt/mars/spot/usdt', { ...BTC, venue: 'MARS' }],
    ['crypto/BTC/BINANCE/spot/EURO', { ...BTC, quote_currency: 'EURO' }],
    ['crypto/BTC/KRAKEN/perp/USD', { ...BTC, venue: 'KRAKEN', asset_class: 'perp', quote_currency: 'USD' }],
    [
      'stock/MSFT/BINANCE/spot/USD',
      { market: 'stock', symbol: 'MSFT', venue: 'BINANCE', asset_class: 'spot', quote_currency: 'USD' },
    ],
  ])('202 for %s too, which no decision can name: the sources judge it', async (path, instrument) => {
    const { status, body } = await ask(path);
    expect([status, body]).toEqual([202, { instrument, status: 'queued', job_id: expect.any(String) }]);
  });

  test('every refresh of an operator is in the audit log', async () => {
    const { body } = await ask('crypto/ETH/KRAKEN/spot/USD');
    const [entry] = await opened.storage.audit.about('crypto:ETH:KRAKEN:spot:USD', 10);
    expect(entry).toMatchObject({
      actor: ADMIN.owner_id,
      action: 'refresh_instrument',
      detail: { job_id: body.job_id },
    });
  });

  test.each([
    ['bonds/BTC/BINANCE/spot/USDT', ['market']],
    ['crypto/BTC/BINANCE/future/EURO', ['asset_class']],
    ['bonds/-/%2E%2E%2FBINANCE/future/A:B', ['market', 'symbol', 'venue', 'asset_class', 'quote_currency']],
    ['crypto/BTC/BIN ANCE/spot/USDT', ['venue']],
    ['crypto/BTC/BINANCE/spot/%2E%2E', ['quote_currency']],
    ['crypto/BTC-USDT/BINANCE/spot/EURO', ['symbol']],
    ['stock/%E2%84%AA/NYSE/spot/USD', ['symbol']],
    [`stock/${'A'.repeat(500)}/NYSE/spot/USD`, ['symbol']],
  ])('400 for %.40s, naming every fault', async (path, fields) => {
    const { status, body } = await ask(path);
    expect([status, body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(body.error.details.map((detail: { path: string }) => detail.path)).toEqual(fields);
  });

  test('400 for a character that is not allowed in any text', async () => {
    expect((await ask('stock/A%00B/NYSE/spot/USD')).status).toBe(400);
  });

  test('403 ADMIN_REQUIRED for everyone else, and nothing is queued', async () => {
    const strangers: Record<string, string>[] = [
      {},
      { 'x-api-key': 'agent-key' },
      { 'x-api-key': 'guess' },
      { authorization: 'Bearer guess' },
      { cookie: 'sid=owner-session', 'sec-fetch-site': 'same-origin' },
      { 'x-api-key': 'agent-key', ...OPERATOR },
    ];
    for (const headers of strangers) {
      const { status, body } = await ask('crypto/SOL/BINANCE/spot/USDT', headers);
      expect([status, body.error.code]).toEqual([403, 'ADMIN_REQUIRED']);
    }
    expect(await opened.storage.audit.about('crypto:SOL:BINANCE:spot:USDT', 1)).toEqual([]);
  });
});
