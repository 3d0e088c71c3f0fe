// A client over the types that were generated from the document. It compiles only if the types are right.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import createClient from 'openapi-fetch';
import type { components, paths } from './interface.d.ts';

const [baseUrl = ''] = process.argv.slice(2);
const held = (step: string) => console.log(`held ${step}`);

const guest = createClient<paths>({ baseUrl });
const account = { email: 'ada@example.com', password: 'four plain words, spaced', agent_name: 'Generated' };
const setUp = await guest.POST('/api/v1/public/auth/quick-setup', { body: account });
assert(setUp.data, JSON.stringify(setUp.error));
const key: string = setUp.data.api_key;
held('quick-setup');

const agent = createClient<paths>({ baseUrl, headers: { 'X-API-Key': key } });
const body = {
  market: 'stock',
  symbol: 'MSFT',
  venue: 'NASDAQ',
  asset_class: 'spot',
  quote_currency: 'USD',
  direction: 'bullish',
  horizon_kind: 'trading_days',
  horizon_value: 5,
  data_cutoff: '2003-02-13T14:00:00Z',
  key_factors: ['Stock split announced', { factor: 'Below its average', weight: 0.5 }],
  tags: ['generated'],
} as const satisfies components['schemas']['DecisionSubmission'];

const preview = await agent.POST('/api/v1/agent/decisions', { params: { query: { validate_only: true } }, body });
assert(preview.data && 'valid' in preview.data, JSON.stringify(preview.error));
assert.equal(preview.data.normalized.symbol, 'MSFT');
held('validate_only');

const header = { 'idempotency-key': 'generated-1' };
const submitted = await agent.POST('/api/v1/agent/decisions', { params: { header }, body });
assert(submitted.data && 'record_id' in submitted.data, JSON.stringify(submitted.error));
const record_id: string = submitted.data.record_id;
let wait: number = submitted.data.poll_after_seconds;
held('submit');

const refused = await agent.POST('/api/v1/agent/decisions', { body: { ...body, horizon_value: 9_999 } });
assert(refused.error);
const refusal: components['schemas']['Problem'] = refused.error;
assert.equal(refusal.error.code satisfies string, 'VALIDATION_ERROR');
assert.deepEqual(
  refusal.error.details?.map(({ path }) => path),
  ['horizon_value'],
);
held('a refusal');

const byRecord = { params: { path: { record_id } } };
let bucket: 'strong_correct' | 'weak_correct' | 'weak_incorrect' | 'strong_incorrect' | undefined;
for (let reads = 0; bucket === undefined && reads < 45; reads += 1) {
  await sleep(wait * 1_000);
  const { data, error } = await agent.GET('/api/v1/agent/decisions/{record_id}/state', byRecord);
  assert(data, JSON.stringify(error));
  if (data.view === 'owner') wait = data.poll_after_seconds ?? wait;
  if (data.state === 'closed') bucket = data.outcome?.result_bucket;
}
assert.equal(bucket, 'strong_correct');
held('state');

const read = await agent.GET('/api/v1/agent/decisions/{record_id}', byRecord);
assert(read.data?.view === 'owner', JSON.stringify(read.error));
assert.deepEqual(read.data.tags satisfies readonly string[] | null, ['generated']);
held('read');

const batch = await agent.POST('/api/v1/agent/decisions/batch', { body: { record_ids: [record_id, 'nonsense'] } });
const reasons = batch.data?.items.map((item) => (item.status === 'found' ? item.decision.result_bucket : item.reason));
assert.deepEqual(reasons, ['strong_correct', 'malformed']);
held('batch');

const query = { market: 'stock', symbol: 'MSFT', include_retroactive: true } as const;
const wisdom = await agent.GET('/api/v1/agent/wisdom', { params: { query } });
assert.equal(wisdom.data?.overview.suppression.applied, true, JSON.stringify(wisdom.error));
assert.equal(wisdom.response.headers.get('x-quota-resource'), 'query');
held('wisdom');

const published = await guest.GET('/api/v1/public/decisions/{record_id}', byRecord);
assert.equal(published.data?.outcome?.method, 'eval/3', JSON.stringify(published.error));
held('public record');

const graph = await agent.GET('/api/v1/agent/decisions/{record_id}/graph', byRecord);
assert.equal(graph.data?.nodes.length, 1, JSON.stringify(graph.error));
held('graph');
