import { join } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { type Collector, openCollector, valuesOf } from '../harness/collector.ts';
import { until } from '../harness/embedded-instance.ts';
import { call, closed, newCaller, submit, VECTOR } from './calls.ts';
import { makeFolder, type RunningService, removeFolder, startService, stopService } from './service.ts';

jest.setTimeout(120_000);

let collector: Collector;
let folder: string;
let service: RunningService;

beforeAll(async () => {
  collector = await openCollector();
  folder = makeFolder();
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=ours,authorization=Basic=abc',
  };
  service = await startService(join(folder, 'data'), { env });
});
afterAll(async () => {
  await stopService(service);
  collector.close();
  removeFolder(folder);
});

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

test('a request continues the trace of its caller, with what it asked of the ports beneath it, and jobs have their own', async () => {
  const { api_key } = await newCaller(service, 'traced');
  const headers = { traceparent: `00-${TRACE}-00f067aa0ba902b7-01`, 'idempotency-key': 'k' };
  const { body } = await call(service, '/api/v1/agent/decisions', { key: api_key, headers, body: VECTOR });
  await closed(service, api_key, body.record_id);
  await until(() => collector.spans.some(({ name }) => name === 'job evaluate-due') && submitted().length > 0);
  const [root] = submitted();
  expect(root).toMatchObject({
    parentSpanId: '00f067aa0ba902b7',
    name: 'POST /api/v1/agent/decisions',
    status: { code: 0 },
  });
  expect(valuesOf(root?.attributes ?? [])).toMatchObject({
    'http.route': '/api/v1/agent/decisions',
    'http.response.status_code': 201,
    request_id: expect.any(String),
  });
  const beneath = collector.spans.filter(({ parentSpanId }) => parentSpanId === root?.spanId);
  expect(beneath.map(({ name }) => name)).toEqual(expect.arrayContaining(['admission.admit', 'intake.submit']));
  for (const { traceId, startTimeUnixNano, endTimeUnixNano } of beneath) {
    expect(traceId).toBe(TRACE);
    expect(BigInt(endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(startTimeUnixNano));
  }
  const job = collector.spans.find(({ name }) => name === 'job evaluate-due');
  expect(job?.traceId).not.toBe(TRACE);
  expect(collector.spans.filter(({ parentSpanId }) => parentSpanId === job?.spanId).length).toBeGreaterThan(0);
});

test('a trace that its caller does not record is not recorded here', async () => {
  const other = '0af7651916cd43dd8448eb211c80319c';
  await call(service, '/readyz', { headers: { traceparent: `00-${other}-00f067aa0ba902b7-00` } });
  await call(service, '/openapi.json', { headers: { traceparent: 'no such form' } });
  await until(() => collector.spans.some(({ name }) => name === 'GET /openapi.json'));
  expect(collector.spans.filter(({ traceId }) => traceId === other)).toEqual([]);
});

test('no secret and nothing that callers sent is told', async () => {
  const { api_key } = await newCaller(service, 'canary');
  await submit(service, api_key, { ...VECTOR, direction: 'canary-in-a-field' });
  const headers = {
    traceparent: `00-${'c'.repeat(32)}-00f067aa0ba902b7-01`,
    tracestate: 'canary=in-a-header',
    baggage: 'a=canary',
  };
  await call(service, '/canary-in-a-path?canary-in-a-query=1', { key: api_key, headers });
  const before = collector.bodies.length;
  await until(() => collector.bodies.length > before && collector.spans.some(({ name }) => name === 'GET unmatched'));
  for (const body of collector.bodies)
    expect([body.includes('canary'), body.includes(api_key.slice(12))]).toEqual([false, false]);
});

test('the collector is asked where it was named, with the headers of the configuration', () => {
  for (const { url, headers } of collector.requests) {
    expect(url).toBe('/v1/traces');
    expect(headers).toMatchObject({ 'x-tenant': 'ours', authorization: 'Basic=abc' });
  }
});

const submitted = () => collector.spans.filter(({ traceId, name }) => traceId === TRACE && name.startsWith('POST'));
