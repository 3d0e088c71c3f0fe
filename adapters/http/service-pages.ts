import { clientFiles } from './client-files.ts';
import { referencePages } from './docs/reference-pages.ts';
import type { Endpoint } from './kit/endpoint.ts';
import { healthPages, type ReadinessChecks } from './kit/health-pages.ts';
import type { ServedPage } from './kit/served-page.ts';
import { manualPages } from './manual/manual-pages.ts';
import { type PageFacts, peoplePages } from './page/people-pages.ts';
import { verifyPages } from './page/verify-pages.ts';

/** The pages of every service: /, /verify, /guide/, the files at /clients, /healthz, /readyz, /openapi.json and /docs. */
export function servicePages(
  endpoints: readonly Endpoint[],
  version: string,
  readiness: ReadinessChecks,
  sessionCookie: string,
  facts: PageFacts = { hasProvider: false },
): readonly ServedPage[] {
  return [
    ...peoplePages(facts),
    ...verifyPages(),
    ...clientFiles(),
    ...manualPages(),
    ...healthPages(readiness),
    ...referencePages(endpoints, version, sessionCookie),
  ];
}
