import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request } from 'express';
import { bareReply, DATA_HEADERS } from '../../adapters/http/kit/reply/headers.ts';
import { createHttpServer } from '../../adapters/http/kit/server.ts';
import { healthPages, type ReadinessChecks, type ServedPage } from '../../adapters/http/kit/unmatched.ts';
import { sha256 } from '../../application/sha256.ts';
import { CONTRACT_LIMITS } from '../../domain/limits.ts';
import { Problem } from '../../domain/problem.ts';
import type { Config } from '../config/config.ts';
import type { MetricsText } from './metrics.ts';

const LOOPBACK = /^(::ffff:)?127\.|^::1$/;

const LOOPBACK_HOST = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d*)?$/i;

export interface MetricsServer {
  readonly url: string;
  stop(): Promise<void>;
}

const REQUESTS_END = 1_000;

/**
 * METRICS_PORT: /metrics, by the same rules as elsewhere, and the health pages, on a port of their own; null: none is
 * set.
 */
export async function startMetricsServer(
  { host, metricsPort, metricsToken }: Config['server'],
  metrics: MetricsText,
  readiness: ReadinessChecks,
): Promise<MetricsServer | null> {
  if (metricsPort === null) return null;
  const pages = [metricsPage(metrics, metricsToken), ...healthPages(readiness)];
  const server = createHttpServer((request, response) => void answer(pages, request, response));
  const { address, port, family } = await server.listen(metricsPort, host);
  const name = family === 'IPv6' ? `[${address}]` : address;
  return { url: `http://${name}:${port}`, stop: () => server.close(REQUESTS_END) };
}

async function answer(pages: readonly ServedPage[], request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const [path] = (request.url ?? '').split('?');
    const page = pages.find((each) => each.path === path);
    if (!page) throw new Problem('NOT_FOUND', 'This path is not served on this port.');
    if (request.method !== 'GET') throw new Problem('METHOD_NOT_ALLOWED', 'Only GET is served on this port.');
    const { status, type = 'text/plain', body = '', headers } = await page.render(request as Request);
    response.writeHead(status, [...headers, 'content-type', type, 'content-length', String(Buffer.byteLength(body))]);
    response.end(body);
  } catch (error) {
    const problem =
      error instanceof Problem ? error : new Problem('INTERNAL_ERROR', 'The page could not be generated.');
    const { headers, body } = bareReply(problem, CONTRACT_LIMITS.addressPerMinute);
    response.writeHead(problem.status, headers);
    response.end(body);
  }
}

/** /metrics for callers on this machine, at a loopback host, and for callers with the token; other callers get 404. */
export function metricsPage(metrics: MetricsText, token: string | null): ServedPage {
  return {
    path: '/metrics',
    async render(request) {
      if (!isLocal(request) && !bears(request, token)) throw new Problem('NOT_FOUND', 'This path is not served.');
      return { status: 200, type: metrics.contentType, body: await metrics.text(), headers: DATA_HEADERS };
    },
  };
}

/**
 * Requests through a proxy on this machine also come from loopback, but are not local. So do those of a browser's page
 * whose name was made to lead here; they have the host of that page.
 */
function isLocal({ socket, headers }: IncomingMessage): boolean {
  const passedOn = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'].some((name) => headers[name] !== undefined);
  return !passedOn && LOOPBACK.test(socket.remoteAddress ?? '') && LOOPBACK_HOST.test(headers.host ?? '');
}

function bears({ headers }: IncomingMessage, token: string | null): boolean {
  const sent = /^bearer +(.+)$/i.exec(headers.authorization ?? '')?.[1];
  // The digests have one length, which timingSafeEqual requires.
  return token !== null && sent !== undefined && timingSafeEqual(sha256(sent), sha256(token));
}
