import { Problem } from '../../../domain/problem.ts';
import { DATA_HEADERS } from './reply/headers.ts';
import type { PageContent, ServedPage } from './served-page.ts';

/**
 * One check for each part of the service. `false`, or a check that throws, means that the part cannot answer.
 * `degraded` means that it answers although work behind it is late; `off`, that it is not configured; `unguarded`, that the
 * evidence log goes on without a note of what was seen of it; `unwitnessed`, that it has no quorum of witnesses.
 */
export type ReadinessChecks = () => Promise<
  Readonly<Record<string, boolean | 'degraded' | 'off' | 'unguarded' | 'unwitnessed'>>
>;

/** /healthz: the process runs. /readyz: every part of the service can answer; 503 otherwise. */
export function healthPages(readiness: ReadinessChecks): readonly ServedPage[] {
  return [
    { path: '/healthz', render: async () => json({ status: 'alive' }) },
    { path: '/readyz', render: async () => readyContent(await readiness().catch(() => ({ service: false }))) },
  ];
}

function readyContent(checks: Awaited<ReturnType<ReadinessChecks>>): PageContent {
  const failing = Object.keys(checks).filter((part) => !checks[part]);
  const status = Object.values(checks).includes('degraded') ? 'degraded' : 'ready';
  if (failing.length === 0) return json({ status, checks });
  throw new Problem('SERVICE_UNAVAILABLE', 'The service is not ready.', {
    details: failing.map((part) => ({ path: part, message: REASONS[part] ?? 'is not ready' })),
  });
}

/** What an operator can do about a part. */
const REASONS: Readonly<Record<string, string>> = {
  disk: 'is nearly full: free space on the disk of the database; npm run admin -- status says how much',
};

function json(body: unknown): PageContent {
  const type = 'application/json; charset=utf-8';
  return { status: 200, type, body: JSON.stringify(body), headers: DATA_HEADERS };
}
