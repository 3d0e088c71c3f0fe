import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
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

/** A log line in the same encoding. */
export interface OtlpLine {
  readonly timeUnixNano: string;
  readonly severityNumber: number;
  readonly severityText: string;
  readonly body: { readonly stringValue: string };
  readonly attributes: Attributes;
}

type Attributes = readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];

interface Export {
  readonly resourceSpans?: readonly {
    readonly resource: { readonly attributes: Attributes };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
  readonly resourceLogs?: readonly {
    readonly resource: { readonly attributes: Attributes };
    readonly scopeLogs: readonly { readonly logRecords: readonly OtlpLine[] }[];
  }[];
}

/** What the collector replies; it keeps what it answers with a status below 300. */
export interface Reply {
  readonly status: number;
  readonly body?: object;
}

/** A collector on loopback, and what it has received. */
export interface Collector {
  readonly url: string;
  readonly spans: readonly OtlpSpan[];
  readonly lines: readonly OtlpLine[];
  readonly requests: readonly { readonly url: string | undefined; readonly headers: IncomingHttpHeaders }[];
  readonly bodies: readonly string[];
  readonly resources: readonly Readonly<Record<string, unknown>>[];
  /** Answers the pending requests, and new ones at once. */
  release(): void;
  close(): void;
}

interface CollectorOptions {
  /** Whether it receives requests and does not answer until `release`. */
  readonly silent?: boolean;
  readonly reply?: () => Reply;
  /** Key and certificate, for https. */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** 0: any free one. */
  readonly port?: number;
}

export async function openCollector(options: CollectorOptions = {}): Promise<Collector> {
  const { silent = false, reply = (): Reply => ({ status: 200 }), tls, port = 0 } = options;
  const released = Promise.withResolvers<void>();
  if (!silent) released.resolve();
  const spans: OtlpSpan[] = [];
  const requests: Collector['requests'][number][] = [];
  const bodies: string[] = [];
  const resources: Readonly<Record<string, unknown>>[] = [];
  const lines: OtlpLine[] = [];
  const answer: RequestListener = async (request, response) => {
    const { resourceSpans = [], resourceLogs = [] } = (await json(request)) as Export;
    requests.push({ url: request.url, headers: request.headers });
    bodies.push(JSON.stringify([...resourceSpans, ...resourceLogs]));
    const { status, body = {} } = reply();
    if (status < 300) {
      resources.push(...[...resourceSpans, ...resourceLogs].map(({ resource }) => valuesOf(resource.attributes)));
      spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
      lines.push(...resourceLogs.flatMap(({ scopeLogs }) => scopeLogs.flatMap((scope) => scope.logRecords)));
    }
    await released.promise;
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  const server = tls ? createTlsServer(tls, answer) : createServer(answer);
  await once(server.listen(port, '127.0.0.1'), 'listening');
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  const url = `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, spans, lines, requests, bodies, resources, release: released.resolve, close };
}

export function valuesOf(attributes: Attributes): Readonly<Record<string, unknown>> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
