import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** A span in the JSON encoding of OTLP over HTTP. */
export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: Attributes;
  readonly status: { readonly code?: number };
}

type Attributes = readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];

interface TraceExport {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Attributes };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

/** A collector on loopback, and what it has received. */
export interface Collector {
  readonly url: string;
  readonly spans: readonly OtlpSpan[];
  readonly requests: readonly { readonly url: string | undefined; readonly headers: IncomingHttpHeaders }[];
  readonly bodies: readonly string[];
  readonly resources: readonly Readonly<Record<string, unknown>>[];
  /** Answers the pending requests, and new ones at once. */
  release(): void;
  close(): void;
}

/** @param silent the collector receives requests and does not answer until `release` */
export async function openCollector({ silent = false } = {}): Promise<Collector> {
  const released = Promise.withResolvers<void>();
  if (!silent) released.resolve();
  const spans: OtlpSpan[] = [];
  const requests: Collector['requests'][number][] = [];
  const bodies: string[] = [];
  const resources: Readonly<Record<string, unknown>>[] = [];
  const server = createServer(async (request, response) => {
    const { resourceSpans } = (await json(request)) as TraceExport;
    requests.push({ url: request.url, headers: request.headers });
    bodies.push(JSON.stringify(resourceSpans));
    resources.push(...resourceSpans.map(({ resource }) => valuesOf(resource.attributes)));
    spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
    await released.promise;
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, spans, requests, bodies, resources, release: released.resolve, close };
}

export function valuesOf(attributes: Attributes): Readonly<Record<string, unknown>> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
