import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request } from 'express';
import { healthPages, type ReadinessChecks } from '../../adapters/http/kit/health-pages.ts';
import { bareReply } from '../../adapters/http/kit/reply/raw-reply.ts';
import type { ServedPage } from '../../adapters/http/kit/served-page.ts';
import { createHttpServer } from '../../adapters/http/kit/server.ts';
import { CONTRACT_LIMITS } from '../../domain/limits.ts';
import { Problem } from '../../domain/problem.ts';
import type { Config } from '../config/config.ts';
import type { MetricsText } from './metrics.ts';
import { metricsPage } from './metrics-page.ts';

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
