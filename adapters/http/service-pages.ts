import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleOf } from '../../clients/typescript/bundle.ts';
import { DAY, nextUtcDay, rfc3339 } from '../../domain/time.ts';
import { DOCS_HEADERS, referencePages } from './docs/docs-page.ts';
import { ownOrigin } from './kit/caller/credentials.ts';
import type { Endpoint } from './kit/endpoint.ts';
import { boundText } from './kit/input/query-values.ts';
import { DATA_HEADERS } from './kit/reply/headers.ts';
import { type StaticText, staticReply, staticText, TEXT_HEADERS } from './kit/reply/static-reply.ts';
import { healthPages, type ReadinessChecks, type ServedPage } from './kit/unmatched.ts';
import { manualPages } from './manual/manual-pages.ts';
import type { OpenApiDocument } from './openapi/components.ts';
import { openApiDocument } from './openapi/openapi-document.ts';
import { inlinedDocument } from './openapi/reference.ts';
import { missingPage } from './page/document.ts';
import { importPages } from './page/import-pages.ts';
import { type PageFacts, peoplePages } from './page/people-pages.ts';
import { verifyPages } from './page/verify-pages.ts';

/** The page has no form for it: the reference shows the request. */
const CHANGE_PASSWORD = '/docs/changePassword';

/** How long a copy of security.txt is valid; RFC 9116 advises less than a year. */
const VALID = 90 * DAY;

const HTML = 'text/html; charset=utf-8';

const CLIENTS = join(import.meta.dirname, '../../clients');

/** The pages of every service: /, /verify, /import, /guide/, the files at /clients, /healthz, /readyz, /openapi.json and those at /docs. */
export function servicePages(
  endpoints: readonly Endpoint[],
  version: string,
  readiness: ReadinessChecks,
  sessionCookie: string,
  facts: PageFacts = { hasProvider: false, needsFactor: false, hasMail: false },
  readPolicy?: () => Promise<string>,
): readonly ServedPage[] {
  return [
    ...peoplePages(facts),
    ...verifyPages(readPolicy),
    ...importPages(),
    ...clientFiles(),
    ...manualPages(facts.publicOrigin),
    ...healthPages(readiness),
    ...documentPages(endpoints, version, sessionCookie, facts.publicOrigin),
  ];
}

/**
 * The programs that the service serves, each as one file: the verifier of the evidence log (docs/log.md) and the client
 * for Python (docs/clients.md). Each is read at its first request.
 */
function clientFiles(): ServedPage[] {
  return [
    clientFile('/clients/verify.mjs', 'text/javascript', () => bundleOf(join(CLIENTS, 'typescript/verify.ts'))),
    clientFile('/clients/stancebook.py', 'text/x-python', () =>
      readFileSync(join(CLIENTS, 'python/stancebook.py'), 'utf8'),
    ),
  ];
}

function clientFile(path: string, type: string, read: () => string): ServedPage {
  let file: StaticText | undefined;
  return {
    path,
    async render(request) {
      file ??= staticText(`${type}; charset=utf-8`, read());
      return staticReply(file, request, TEXT_HEADERS);
    },
  };
}

/** /openapi.json for programs and /docs for people: the same document of the endpoints that are served. */
function documentPages(
  endpoints: readonly Endpoint[],
  version: string,
  sessionCookie: string,
  publicOrigin: string | undefined,
): readonly ServedPage[] {
  let made: ReferenceTexts | undefined;
  const texts = () => {
    made ??= referenceTexts(openApiDocument(endpoints, version, sessionCookie));
    return made;
  };
  return [
    { path: '/openapi.json', render: async (request) => staticReply(texts().document, request, TEXT_HEADERS) },
    { path: '/docs', render: async (request) => staticReply(texts().index, request, DOCS_HEADERS) },
    {
      path: '/docs/{page}',
      async render(request) {
        const text = texts().page(String(request.params.page), ownOrigin(request, { publicOrigin }));
        return text ? staticReply(text, request, DOCS_HEADERS) : missingPage(request.path, '/docs');
      },
    },
  ];
}

interface ReferenceTexts {
  readonly document: StaticText;
  readonly index: StaticText;
  /** By its name below /docs. */
  page(name: string, origin: string): StaticText | undefined;
}

/** Made at the first request and cached: the endpoints do not change while the service runs. */
function referenceTexts(document: OpenApiDocument): ReferenceTexts {
  const inlined = inlinedDocument(document, (kind, { enum: words }) => kind !== 'schemas' || words !== undefined);
  const { index, errors, schemas, operation } = referencePages(inlined);
  const made = new Map<string, StaticText>();
  return {
    document: staticText('application/json; charset=utf-8', documentText(document)),
    index: staticText(HTML, index),
    page(name, origin) {
      const key = `${origin} ${name}`;
      const kept = made.get(key);
      if (kept) return kept;
      const text = name === 'errors' ? errors : name === 'schemas' ? schemas : operation(name, origin);
      if (text === undefined) return undefined;
      const page = staticText(HTML, text);
      made.set(key, page);
      return page;
    },
  };
}

/** The document as JSON. JSON.stringify rounds the bounds of 64 bits outwards, so their digits are written here. */
export function documentText(document: OpenApiDocument): string {
  return JSON.stringify(document).replaceAll(
    /"(minimum|maximum)":(-?\d{19,})/g,
    (_, name: string, digits: string) => `"${name}":${boundText(Number(digits))}`,
  );
}

/**
 * The pages below /.well-known: where to change a password, and whom to tell about a vulnerability.
 * @param contacts as URIs, the preferred one first; without any there is no security.txt
 */
export function wellKnownPages(contacts: readonly string[], publicUrl: string | null): readonly ServedPage[] {
  const headers = [...DATA_HEADERS, 'location', CHANGE_PASSWORD];
  const password = { path: '/.well-known/change-password', render: async () => ({ status: 303, headers }) };
  if (contacts.length === 0) return [password];
  const render = async () => ({
    status: 200,
    type: 'text/plain; charset=utf-8',
    body: securityText(contacts, publicUrl, Date.now()),
    headers: TEXT_HEADERS,
  });
  return [password, { path: '/.well-known/security.txt', render }];
}

function securityText(contacts: readonly string[], publicUrl: string | null, now: number): string {
  return [
    ...contacts.map((contact) => `Contact: ${contact}`),
    `Expires: ${rfc3339(nextUtcDay(now) + VALID)}`,
    ...(publicUrl === null ? [] : [`Canonical: ${publicUrl}/.well-known/security.txt`]),
    'Preferred-Languages: en',
    '',
  ].join('\n');
}
