import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, jest, test } from '@jest/globals';
import { freePort } from '../../../infrastructure/embedded-postgres/supervisor.ts';
import { createLogger, type Logger } from '../../../infrastructure/logging/logger.ts';
import { openTracing } from '../../../infrastructure/tracing/open-tracing.ts';
import type { TraceSettings } from '../../../infrastructure/tracing/tracing.ts';
import { NO_TRACING, type Tracing } from '../../../infrastructure/tracing/tracing.ts';
import { type Collector, openCollector } from '../../harness/collector.ts';
import { until } from '../../harness/embedded-instance.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const FOLLOWING: TraceSettings = { sampler: 'parentbased_always_on', ratio: 1 };

const before = { ...process.env };
const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
  process.env = { ...before };
});

test.each<[string, 'continued' | 'new' | 'not recorded']>([
  [`00-${TRACE}-${SPAN}-01`, 'continued'],
  [`00-${TRACE}-${SPAN}-03`, 'continued'],
  [`cc-${TRACE}-${SPAN}-01-what-later-versions-add`, 'continued'],
  [`00-${TRACE}-${SPAN}-00`, 'not recorded'],
  [`ff-${TRACE}-${SPAN}-01`, 'new'],
  [`00-${'0'.repeat(32)}-${SPAN}-01`, 'new'],
  [`00-${TRACE}-${'0'.repeat(16)}-01`, 'new'],
  [`00-${TRACE.toUpperCase()}-${SPAN}-01`, 'new'],
  [`00-${TRACE}-${SPAN}`, 'new'],
  ['', 'new'],
])('the trace of a request with traceparent %s is %s', async (traceparent, found) => {
  const collector = await collecting();
  const tracing = await opened(FOLLOWING);
  await ask(await served(tracing), { traceparent });
  await tracing.stop();
  const places = collector.spans.map(({ traceId, parentSpanId }) => [traceId === TRACE, parentSpanId ?? null]);
  expect(places).toEqual({ continued: [[true, SPAN]], new: [[false, null]], 'not recorded': [] }[found]);
});

test.each<[TraceSettings, number]>([
  [{ sampler: 'always_off', ratio: 1 }, 0],
  [{ sampler: 'always_on', ratio: 0 }, 2],
  [{ sampler: 'traceidratio', ratio: 0 }, 0],
  [{ sampler: 'parentbased_always_off', ratio: 1 }, 1],
  [{ sampler: 'parentbased_traceidratio', ratio: 0 }, 1],
  [{ sampler: 'parentbased_traceidratio', ratio: 1 }, 2],
])('%j records %i of a caller that is recorded and one that sends no trace', async (settings, count) => {
  const collector = await collecting();
  const tracing = await opened(settings);
  const url = await served(tracing);
  await ask(url, { traceparent: `00-${TRACE}-${SPAN}-01` });
  await ask(url, {});
  await tracing.stop();
  expect(collector.spans.length).toBe(count);
});

test('the calls of a port are spans of its request, also after the reply is sent; outside of requests there are none', async () => {
  const collector = await collecting();
  const tracing = await opened(FOLLOWING);
  const pending = Promise.withResolvers<void>();
  const read = async () => pending.promise;
  const broken = async () => Promise.reject(new Error('canary'));
  const { store } = tracing.ports({ store: { read, broken } });
  await store.broken().catch(() => undefined);
  let reading = Promise.resolve();
  const url = await served(tracing, async () => {
    reading = store.read();
    await store.broken().catch(() => undefined);
  });
  await ask(url, {});
  pending.resolve();
  await reading;
  await tracing.stop();
  const root = collector.spans.find(({ parentSpanId }) => !parentSpanId);
  const beneath = collector.spans.filter(({ parentSpanId }) => parentSpanId === root?.spanId);
  expect(beneath.map(({ name, status }) => [name, status.code === 2]).sort()).toEqual([
    ['store.broken', true],
    ['store.read', false],
  ]);
  expect(collector.spans.length).toBe(3);
  expect(collector.bodies.join()).not.toContain('canary');
});

test('the service is named by us, unless the environment names it', async () => {
  const collector = await collecting();
  for (const name of [undefined, 'ours']) {
    if (name) process.env.OTEL_SERVICE_NAME = name;
    const tracing = await opened(FOLLOWING);
    await ask(await served(tracing), {});
    await tracing.stop();
  }
  const names = collector.resources.map((resource) => [resource['service.name'], typeof resource['service.version']]);
  expect(names).toEqual([
    ['stancebook', 'string'],
    ['ours', 'string'],
  ]);
});

test('a missing collector causes one log line', async () => {
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${await freePort()}`;
  // Not a second of patience: nothing is tried again.
  process.env.OTEL_EXPORTER_OTLP_TIMEOUT = '500';
  const log = { ...createLogger({ level: 'silent', format: 'json' }), warn: jest.fn<Logger['warn']>() };
  const tracing = await opened(FOLLOWING, log);
  await ask(await served(tracing), {});
  await tracing.stop();
  expect(log.warn.mock.calls).toEqual([
    [
      'Could not send traces; these spans are dropped',
      { error: expect.objectContaining({ code: 'ECONNREFUSED' }), status: undefined },
    ],
  ]);
});

test('a collector that does not answer holds up neither requests nor the stop', async () => {
  const collector = await collecting(await openCollector({ silent: true }));
  process.env.OTEL_EXPORTER_OTLP_TIMEOUT = '3600000';
  const tracing = await opened(FOLLOWING, undefined, 50);
  const { store } = tracing.ports({ store: { read: async () => undefined } });
  const url = await served(tracing, async () => void (await Promise.all(Array.from({ length: 600 }, store.read))));
  await ask(url, {});
  await until(() => collector.requests.length > 0);
  await ask(url, {});
  await tracing.stop();
  collector.release();
  await until(() => collector.spans.length === 1_202);
});

test('nothing is wrapped where no collector is named', async () => {
  expect(await openTracing(null, SILENT)).toBe(NO_TRACING);
});

const SILENT = createLogger({ level: 'silent', format: 'json' });
/** Milliseconds in which a busy machine, too, sends what is left. */
const UNHURRIED = 25_000;

async function collecting(collector?: Collector): Promise<Collector> {
  const opened = collector ?? (await openCollector());
  closers.push(() => opened.close());
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = opened.url;
  return opened;
}

function opened(settings: TraceSettings, log: Logger = SILENT, patience = UNHURRIED): Promise<Tracing> {
  return openTracing(settings, log, patience);
}

/** Of the server: the span of a request ends with its answer, which the caller may have before. */
const answered: Promise<unknown>[] = [];

/** A server behind the tracing that answers 200 when its work is done. */
async function served(tracing: Tracing, work: () => Promise<void> = async () => undefined): Promise<string> {
  const handler = tracing.handler((_, response) => {
    answered.push(once(response, 'close'));
    void work().then(() => response.end());
  });
  const server: Server = createServer(handler);
  closers.push(() => server.close().closeAllConnections());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function ask(url: string, headers: Readonly<Record<string, string>>): Promise<void> {
  const { status } = await fetch(url, { headers: { ...headers, connection: 'close' } });
  expect(status).toBe(200);
  await Promise.all(answered.splice(0));
}
