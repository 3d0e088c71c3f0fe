import { referencePages } from './docs/reference-pages.ts';
import type { Endpoint } from './kit/endpoint.ts';
import { healthPages, type ReadinessChecks } from './kit/health-pages.ts';
import type { ServedPage } from './kit/served-page.ts';
import { peoplePages } from './page/people-pages.ts';

/** The pages of every service: /, /healthz, /readyz, /openapi.json and /docs. */
export function servicePages(
  endpoints: readonly Endpoint[],
  version: string,
  readiness: ReadinessChecks,
  sessionCookie: string,
): readonly ServedPage[] {
  return [...peoplePages(), ...healthPages(readiness), ...referencePages(endpoints, version, sessionCookie)];
}
