import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Collector, type OtlpSpan, openCollector, valuesOf } from '../harness/collector.ts';
import { copyPreparedData } from '../harness/prepared-data.ts';
import { call, closed, newCaller, submit, VECTOR } from './calls.ts';
import { makeFolder, type RunningService, removeFolder, startService, stopService } from './service.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const UNRECORDED = '0af7651916cd43dd8448eb211c80319c';
const CANARY = 'cccccccccccccccccccccccccccccccc';
const SPAN = '00f067aa0ba902b7';

let collector: Collector;
let logs: Collector;
let folder: string;
let service: RunningService;
let key: string;

/** All spans have arrived once the service has stopped. */
beforeAll(async () => {
  [collector, logs] = [await openCollector(), await openCollector()];
  folder = makeFolder();
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS_FILE: secretFile('trace-headers', 'x-tenant=ours,authorization=Basic=abc'),
    OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: `${logs.url}/v1/logs`,
    OTEL_EXPORTER_OTLP_LOGS_HEADERS_FILE: secretFile('log-headers', 'authorization=Bearer%20abc'),
    LOG_LEVEL: 'http',
  };
  service = await startService(await copyPreparedData(join(folder, 'data')), { env });
  ({ api_key: key } = await newCaller(service, 'canary'));
  const headers = { traceparent: `00-${TRACE}-${SPAN}-01`, 'idempotency-key': 'canary' };
  const { body } = await call(service, '/api/v1/agent/decisions', { key, headers, body: VECTOR });
  await closed(service, key, body.record_id);
  await call(service, '/readyz', { headers: { traceparent: `00-${UNRECORDED}-${SPAN}-00` } });
  await submit(service, key, { ...VECTOR, direction: 'canary-in-a-field' });
  const hostile = { traceparent: `00-${CANARY}-${SPAN}-01`, tracestate: 'canary=in-a-header', baggage: 'a=canary' };
  await call(service, '/canary-in-a-path?canary-in-a-query=1', { key, headers: hostile });
  await stopService(service);
});
afterAll(() => {
  collector.close();
  logs.close();
  removeFolder(folder);
});

test('a request continues the trace of its caller', () => {
  const [root] = submitted();
  expect(root).toMatchObject({ parentSpanId: SPAN, name: 'POST /api/v1/agent/decisions', status: { code: 0 } });
  expect(valuesOf(root?.attributes ?? [])).toMatchObject({
    'http.route': '/api/v1/agent/decisions',
    'http.response.status_code': 201,
    request_id: expect.any(String),
  });
});

test('the port calls of a request are child spans of the request', () => {
  const beneath = under(submitted()[0]);
  expect(beneath.map(({ name }) => name)).toEqual(expect.arrayContaining(['admission.admit', 'intake.submit']));
  for (const { traceId, startTimeUnixNano, endTimeUnixNano } of beneath) {
    expect(traceId).toBe(TRACE);
    expect(BigInt(endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(startTimeUnixNano));
  }
});

test('a job has a trace of its own, with its port calls', () => {
  const job = collector.spans.find(({ name }) => name === 'job evaluate-due');
  expect(job).toBeDefined();
  expect(job?.traceId).not.toBe(TRACE);
  expect(under(job).length).toBeGreaterThan(0);
});

test('a trace that its caller does not record is not recorded here', () => {
  expect(collector.spans.filter(({ traceId }) => traceId === UNRECORDED)).toEqual([]);
});

test('a trace contains no secret and nothing that callers sent except the trace id', () => {
  const [root] = collector.spans.filter(({ traceId, parentSpanId }) => traceId === CANARY && parentSpanId === SPAN);
  expect(root?.name).toBe('GET unmatched');
  for (const body of collector.bodies)
    expect([body.includes('canary'), body.includes(key.slice(12))]).toEqual([false, false]);
});

test('spans are sent to the configured URL with the configured headers', () => {
  for (const { url, headers } of collector.requests) {
    expect(url).toBe('/v1/traces');
    expect(headers).toMatchObject({ 'x-tenant': 'ours', authorization: 'Basic=abc' });
  }
});

describe('log lines are sent to their own receiver', () => {
  const linesOf = (text: string) => logs.lines.filter(({ body }) => body.stringValue === text);

  test('with requests, security events and the last line of the process', () => {
    const routes = linesOf('request').map(({ attributes }) => valuesOf(attributes).route);
    expect(routes).toContain('/api/v1/agent/decisions');
    expect(linesOf('Security event').map(({ attributes }) => valuesOf(attributes))).toContainEqual(
      expect.objectContaining({ kind: 'registration', result: 'success' }),
    );
    expect(logs.lines.at(-1)?.body.stringValue).toBe('Stopped');
  });

  test('with the headers of a secret file, which replace those of traces', () => {
    for (const { url, headers } of logs.requests) {
      expect(url).toBe('/v1/logs');
      expect(headers).toMatchObject({ 'x-tenant': 'ours', authorization: 'Bearer abc' });
    }
    expect(logs.requests.length).toBeGreaterThan(0);
  });

  test('without secrets, and without anything that callers sent', () => {
    for (const body of logs.bodies)
      expect([body.includes('canary'), body.includes(key.slice(12)), body.includes('Bearer')]).toEqual([
        false,
        false,
        false,
      ]);
  });
});

function secretFile(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text, { mode: 0o400 });
  return path;
}

const submitted = () => collector.spans.filter(({ traceId, name }) => traceId === TRACE && name.startsWith('POST'));

const under = (span: OtlpSpan | undefined) =>
  collector.spans.filter(({ parentSpanId }) => parentSpanId === span?.spanId);
