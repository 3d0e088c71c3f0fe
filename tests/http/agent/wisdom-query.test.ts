import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { anAgentAt, strangerAt, type TestAgent } from '../../harness/callers.ts';
import { COHORTS_AT as AT } from '../../harness/cohorts.ts';
import { openService, type TestService } from '../../harness/service.ts';
import { anOwnerLoggedIn } from '../../harness/sessions.ts';

const WISDOM = '/api/v1/agent/wisdom';

let service: TestService;
let agent: TestAgent;
beforeAll(async () => {
  service = await openService('memory', { at: AT });
  agent = await anAgentAt(service);
});
afterAll(() => service.close());

const refusedFor = async (query: string) => {
  const { status, body } = await agent.get(`${WISDOM}?${query}`);
  return [status, body.error?.code, body.error?.details.map(({ path }: { path: string }) => path)];
};

test.each([
  ['', ['market']],
  ['symbol=BTC', ['market']],
  ['market=forex', ['market']],
  ['market=crypto&owner_id=1', ['owner_id']],
  ['market=crypto&Symbol=BTC', ['Symbol']],
  ['market=crypto&market=stock', ['market']],
  ['market=crypto&symbol=', ['symbol']],
  ['market=crypto&symbol=B%20TC', ['symbol']],
  ['market=crypto&symbol=BTC-EUR&quote_currency=USD', ['symbol']],
  ['market=stock&symbol=%F0%9F%98%80', ['symbol']],
  ['market=crypto&symbol=%00', ['symbol']],
  ['market=crypto&venue=', ['venue']],
  ['market=crypto&venue=COIN%20BASE', ['venue']],
  ['market=crypto&asset_class=option', ['asset_class']],
  [`market=crypto&quote_currency=${'U'.repeat(41)}`, ['quote_currency']],
  ['market=crypto&cohort_key=crypto:btc', ['cohort_key']],
  ['market=crypto&direction=up', ['direction']],
  ['market=crypto&direction=Bullish', ['direction']],
  ['market=crypto&analysis_class=note', ['analysis_class']],
  ['market=crypto&perspective_type=gut', ['perspective_type']],
  ['market=crypto&horizon_kind=weeks', ['horizon_kind']],
  ['market=crypto&horizon_value=-1', ['horizon_value']],
  ['market=crypto&horizon_value=2147483648', ['horizon_value']],
  ['market=crypto&horizon_value=1e3', ['horizon_value']],
  ['market=crypto&result_bucket=correct', ['result_bucket']],
  ['market=crypto&data_cutoff_since=2020-01-01', ['data_cutoff_since']],
  ['market=crypto&data_cutoff_until=2020-01-01T00:00:00', ['data_cutoff_until']],
  ['market=crypto&as_of=yesterday', ['as_of']],
  ['market=crypto&include_retroactive=1', ['include_retroactive']],
  ['market=crypto&limit=0', ['limit']],
  ['market=crypto&limit=101', ['limit']],
  ['market=crypto&sort=newest', ['sort']],
  ['market=crypto&cursor=AAAA', ['cursor']],
  [`market=crypto&cursor=${'A'.repeat(9_000)}`, ['cursor']],
  ['market=crypto&limit=0&sort=newest&as_of=1', ['as_of', 'limit', 'sort']],
])('422 for ?%s', async (query, paths) => {
  expect(await refusedFor(query)).toEqual([422, 'VALIDATION_ERROR', paths]);
});

test.each([
  ['2020-01-02T00:00:00Z', '2020-01-01T00:00:00Z'],
  ['2020-01-01T00:00:00Z', '2020-01-01T00:00:00Z'],
  ['2020-01-01T00:00:00Z', '2020-01-01T01:00:00%2B01:00'],
])('422 with an explanation when since %s is not before until %s', async (since, until) => {
  const { status, body } = await agent.get(
    `${WISDOM}?market=stock&data_cutoff_since=${since}&data_cutoff_until=${until}`,
  );
  expect([status, body.error.details[0].path]).toEqual([422, 'data_cutoff_until']);
  expect(body.error.message).toContain('must be after data_cutoff_since');
});

test('every parameter is understood and returned in the query of the reply', async () => {
  const parameters = {
    market: 'stock',
    symbol: 'BRK/B',
    venue: 'nyse',
    asset_class: 'spot',
    quote_currency: 'usd',
    cohort_key: 'stock:brk.b:spot:usd:neutral:swing:opinion',
    direction: 'neutral',
    analysis_class: 'opinion',
    perspective_type: 'macro',
    horizon_kind: 'trading_days',
    horizon_value: '3',
    result_bucket: 'weak_correct',
    data_cutoff_since: '2020-01-01T00:00:00+01:00',
    data_cutoff_until: '2021-01-01T00:00:00Z',
    as_of: '2022-01-01T00:00:00.5Z',
    include_retroactive: 'true',
    limit: '1',
    sort: 'data_cutoff_asc',
  };
  const { body } = await agent.get(`${WISDOM}?${new URLSearchParams(parameters)}`);
  expect(body.query).toEqual({
    ...parameters,
    symbol: 'BRK.B',
    venue: 'NYSE',
    quote_currency: 'USD',
    horizon_value: 3,
    data_cutoff_since: '2019-12-31T23:00:00.000Z',
    data_cutoff_until: '2021-01-01T00:00:00.000Z',
    as_of: '2022-01-01T00:00:00.500Z',
    include_retroactive: true,
    limit: 1,
  });
});

test('401 without a credential; a read_only key and a session are accepted', async () => {
  const query = `${WISDOM}?market=crypto`;
  expect((await strangerAt(service).get(query)).status).toBe(401);
  const reads = await anAgentAt(service, { permission_mode: 'read_only' });
  expect((await reads.get(query)).status).toBe(200);
  const { cookie } = await anOwnerLoggedIn(service);
  expect((await strangerAt(service).get(query).set('cookie', cookie)).status).toBe(200);
});
