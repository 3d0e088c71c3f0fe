import type { Request } from 'express';
import { Problem } from '../../../domain/problem.ts';
import { DOCS_HEADERS, docsPage } from '../docs/page.ts';
import { inlinedDocument } from '../openapi/inlined-document.ts';
import { openApiDocument } from '../openapi/openapi-document.ts';
import { peoplePages } from '../page/page.ts';
import type { Endpoint } from './endpoint.ts';
import { DATA_HEADERS } from './reply/headers.ts';
import { type StaticText, staticReply, staticText, TEXT_HEADERS } from './static-text.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

/** What is served beside the contract's endpoints: GET only, without credentials, not rate limited. */
export interface Page {
  /** With parameters in braces, like those of endpoints. */
  readonly path: string;
  render(request: Request): Promise<PageContent>;
}

export interface PageContent {
  readonly status: number;
  readonly type?: string;
  readonly body?: string | Uint8Array;
  /** The common headers of this page, as name, value, name, value. */
  readonly headers: readonly string[];
}

/**
 * One check for each part of the service: `false`, or a check that throws, means that it cannot answer; `degraded` that it
 * can, though something behind it will come late.
 */
export type Readiness = () => Promise<Readonly<Record<string, boolean | 'degraded'>>>;

export function servicePages(endpoints: readonly Endpoint[], version: string, readiness: Readiness): Page[] {
  let made: { readonly document: StaticText; readonly docs: StaticText } | undefined;
  const reference = () => {
    made ??= referenceOf(endpoints, version);
    return made;
  };
  return [
    ...peoplePages(),
    { path: '/healthz', render: async () => json(200, { status: 'alive' }) },
    { path: '/readyz', render: async () => ready(await readiness().catch(() => ({ service: false }))) },
    { path: '/openapi.json', render: async (request) => staticReply(reference().document, request, TEXT_HEADERS) },
    { path: '/docs', render: async (request) => staticReply(reference().docs, request, DOCS_HEADERS) },
  ];
}

/** Made when it is first asked for, and once: the endpoints do not change while the service runs. */
function referenceOf(endpoints: readonly Endpoint[], version: string) {
  const document = openApiDocument(endpoints, version);
  const shown = inlinedDocument(document, (kind, { enum: words }) => kind !== 'schemas' || words !== undefined);
  return {
    document: staticText(JSON_TYPE, JSON.stringify(document)),
    docs: staticText('text/html; charset=utf-8', docsPage(shown)),
  };
}

function ready(checks: Awaited<ReturnType<Readiness>>): PageContent {
  const failing = Object.keys(checks).filter((part) => !checks[part]);
  const status = Object.values(checks).includes('degraded') ? 'degraded' : 'ready';
  if (failing.length === 0) return json(200, { status, checks });
  throw new Problem('SERVICE_UNAVAILABLE', 'The service is not ready.', {
    details: failing.map((part) => ({ path: part, message: 'is not ready' })),
  });
}

function json(status: number, body: unknown): PageContent {
  return { status, type: JSON_TYPE, body: JSON.stringify(body), headers: DATA_HEADERS };
}
