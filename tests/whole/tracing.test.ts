import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { until } from '../harness/embedded-instance.ts';
import { call, closed, newCaller, submit, VECTOR } from './calls.ts';
import { makeFolder, type RunningService, removeFolder, startService, stopService } from './service.ts';

jest.setTimeout(120_000);

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly {
    readonly key: string;
    readonly value: { readonly stringValue?: string; readonly intValue?: string };
  }[];
  readonly status: { readonly code?: number };
}

/** A collector: what OTLP over HTTP sends it. */
const spans: OtlpSpan[] = [];
const heads: { readonly url: string | undefined; readonly headers: IncomingHttpHeaders }[] = [];
const bodies: string[] = [];
let collector: Server;
let folder: string;
let service: RunningService;

beforeAll(async () => {
  collector = createServer(async (request, response) => {
    const body = (await json(request)) as {
      readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[] }[];
    };
    heads.push({ url: request.url, headers: request.headers });
    bodies.push(JSON.stringify(body));
    spans.push(...body.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await once(collector.listen(0, '127.0.0.1'), 'listening');
  folder = makeFolder();
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
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
  await until(() => spans.some(({ name }) => name === 'job evaluate-due') && submitted().length > 0);
  const [root] = submitted();
  expect(root).toMatchObject({ parentSpanId: '00f067aa0ba902b7', name: 'POST /api/v1/agent/decisions', status: {} });
  expect(
    Object.fromEntries(root?.attributes.map(({ key, value }) => [key, Object.values(value)[0]]) ?? []),
  ).toMatchObject({
    'http.route': '/api/v1/agent/decisions',
    'http.response.status_code': '201',
    request_id: expect.any(String),
  });
  const beneath = spans.filter(({ parentSpanId }) => parentSpanId === root?.spanId);
  expect(beneath.map(({ name }) => name)).toEqual(expect.arrayContaining(['admission.admit', 'intake.submit']));
  for (const { traceId, startTimeUnixNano, endTimeUnixNano } of beneath) {
    expect(traceId).toBe(TRACE);
    expect(BigInt(endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(startTimeUnixNano));
  }
  const job = spans.find(({ name }) => name === 'job evaluate-due');
  expect(job?.traceId).not.toBe(TRACE);
  expect(spans.filter(({ parentSpanId }) => parentSpanId === job?.spanId).length).toBeGreaterThan(0);
});

test('a trace that its caller does not record is not recorded here', async () => {
  const other = '0af7651916cd43dd8448eb211c80319c';
  await call(service, '/readyz', { headers: { traceparent: `00-${other}-00f067aa0ba902b7-00` } });
  await call(service, '/openapi.json', { headers: { traceparent: 'no such form' } });
  await until(() => spans.some(({ name }) => name === 'GET /openapi.json'));
  expect(spans.filter(({ traceId }) => traceId === other)).toEqual([]);
});

test('no secret and nothing that callers sent is told', async () => {
  const { api_key } = await newCaller(service, 'canary');
  await submit(service, api_key, { ...VECTOR, direction: 'canary-in-a-field' });
  await call(service, '/canary-in-a-path?canary-in-a-query=1', { key: api_key });
  const before = bodies.length;
  await until(() => bodies.length > before && spans.some(({ name }) => name === 'GET unmatched'));
  for (const body of bodies)
    expect([body.includes('canary'), body.includes(api_key.slice(12))]).toEqual([false, false]);
});

test('the collector is asked where it was named, with the headers of the configuration', () => {
  for (const { url, headers } of heads) {
    expect(url).toBe('/v1/traces');
    expect(headers).toMatchObject({ 'x-tenant': 'ours', authorization: 'Basic=abc' });
  }
});

const submitted = () => spans.filter(({ traceId, name }) => traceId === TRACE && name.startsWith('POST'));
