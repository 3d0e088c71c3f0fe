import { Problem } from '../../../domain/problem.ts';
import type { Page, PageContent } from './page.ts';
import { DATA_HEADERS } from './reply/headers.ts';

/**
 * One check for each part of the service. `false`, or a check that throws, means that the part cannot answer;
 * `degraded` that it answers, although something behind it is late.
 */
export type Readiness = () => Promise<Readonly<Record<string, boolean | 'degraded'>>>;

/** /healthz: the process runs. /readyz: every part of the service can answer; 503 otherwise. */
export function healthPages(readiness: Readiness): readonly Page[] {
  return [
    { path: '/healthz', render: async () => json({ status: 'alive' }) },
    { path: '/readyz', render: async () => readyContent(await readiness().catch(() => ({ service: false }))) },
  ];
}

function readyContent(checks: Awaited<ReturnType<Readiness>>): PageContent {
  const failing = Object.keys(checks).filter((part) => !checks[part]);
  const status = Object.values(checks).includes('degraded') ? 'degraded' : 'ready';
  if (failing.length === 0) return json({ status, checks });
  throw new Problem('SERVICE_UNAVAILABLE', 'The service is not ready.', {
    details: failing.map((part) => ({ path: part, message: 'is not ready' })),
  });
}

function json(body: unknown): PageContent {
  const type = 'application/json; charset=utf-8';
  return { status: 200, type, body: JSON.stringify(body), headers: DATA_HEADERS };
}
