import type { Endpoint } from '../kit/endpoint.ts';
import { type StaticText, staticReply, staticText, TEXT_HEADERS } from '../kit/reply/static-text.ts';
import type { ServedPage } from '../kit/served-page.ts';
import type { OpenApiDocument } from '../openapi/components.ts';
import { documentText } from '../openapi/document-text.ts';
import { inlinedDocument } from '../openapi/inlined-document.ts';
import { openApiDocument } from '../openapi/openapi-document.ts';
import { DOCS_HEADERS, docsPage } from './docs-page.ts';

/** /openapi.json for programs and /docs for people: the same document of the endpoints that are served. */
export function referencePages(
  endpoints: readonly Endpoint[],
  version: string,
  sessionCookie: string,
): readonly ServedPage[] {
  let made: ReferenceTexts | undefined;
  const texts = () => {
    made ??= referenceTexts(openApiDocument(endpoints, version, sessionCookie));
    return made;
  };
  return [
    { path: '/openapi.json', render: async (request) => staticReply(texts().document, request, TEXT_HEADERS) },
    { path: '/docs', render: async (request) => staticReply(texts().docs, request, DOCS_HEADERS) },
  ];
}

interface ReferenceTexts {
  readonly document: StaticText;
  readonly docs: StaticText;
}

/** Made at the first request and cached: the endpoints do not change while the service runs. */
function referenceTexts(document: OpenApiDocument): ReferenceTexts {
  const inlined = inlinedDocument(document, (kind, { enum: words }) => kind !== 'schemas' || words !== undefined);
  return {
    document: staticText('application/json; charset=utf-8', documentText(document)),
    docs: staticText('text/html; charset=utf-8', docsPage(inlined)),
  };
}
