import type { Request } from 'express';
import { Problem } from '../../domain/problem.ts';
import type { Endpoint } from './endpoint.ts';
import { DATA_HEADERS } from './headers.ts';

/** What is served beside the contract's endpoints: GET only, without credentials, not rate limited. */
export interface Page {
  readonly path: string;
  render(request: Request): Promise<PageContent>;
}

export interface PageContent {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  /** The common headers of this page, as name, value, name, value. */
  readonly headers: readonly string[];
}

/** One check for each part that the service needs to answer; a check that throws means "not ready". */
export type Readiness = () => Promise<Readonly<Record<string, boolean>>>;

export function servicePages(_endpoints: readonly Endpoint[], _version: string, readiness: Readiness): Page[] {
  return [
    { path: '/healthz', render: async () => json(200, { status: 'alive' }) },
    { path: '/readyz', render: async () => ready(await readiness().catch(() => ({ service: false }))) },
  ];
}

function ready(checks: Readonly<Record<string, boolean>>): PageContent {
  const failing = Object.keys(checks).filter((part) => !checks[part]);
  if (failing.length === 0) return json(200, { status: 'ready', checks });
  throw new Problem('SERVICE_UNAVAILABLE', 'The service is not ready.', {
    details: failing.map((part) => ({ path: part, message: 'is not ready' })),
  });
}

function json(status: number, body: unknown): PageContent {
  return { status, type: 'application/json; charset=utf-8', body: JSON.stringify(body), headers: DATA_HEADERS };
}
