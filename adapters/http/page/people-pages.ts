import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Request } from 'express';
import { Problem } from '../../../domain/problem.ts';
import { COMMON_HEADERS, DOCUMENT_HEADERS, INERT } from '../kit/reply/headers.ts';
import { encodingHeaders, tightEncodingFor } from '../kit/reply/packed.ts';
import { type StaticText, staticReply, staticText } from '../kit/reply/static-text.ts';
import type { PageContent, ServedPage } from '../kit/served-page.ts';
import { type Assets, currentAssets } from './assets.ts';
import { mainNavigation } from './main-navigation.ts';

/**
 * Only the page's own files load and run, no text becomes markup or script, no site may frame the page, and its forms
 * are sent only to this service.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const INDEX_HEADERS: readonly string[] = [
  ...DOCUMENT_HEADERS,
  ...['content-security-policy', CONTENT_SECURITY_POLICY, 'cache-control', 'no-cache'],
];

/** What the document says about the service, because the page cannot ask for it. */
export interface PageFacts {
  /** Whether owners can sign in through an identity provider. */
  readonly hasProvider: boolean;
}

/** The page at `/` for people, and its files (docs/page.md). */
export function peoplePages(facts: PageFacts): ServedPage[] {
  let index: StaticText | undefined;
  return [
    {
      path: '/',
      async render(request) {
        index ??= indexOf(currentAssets(), facts);
        return staticReply(index, request, INDEX_HEADERS);
      },
    },
    {
      path: '/page/{version}/{file}',
      async render(request) {
        return assetReply(request, currentAssets());
      },
    },
  ];
}

/** The document, with the addresses of this version of the files. */
function indexOf({ version, scripts }: Assets, { hasProvider }: PageFacts): StaticText {
  const preloads = scripts.map((name) => `<link rel="modulepreload" href="/page/${version}/${name}">`).join('\n');
  const html = readFileSync(join(import.meta.dirname, 'index.html'), 'utf8')
    .replace('<!-- scripts -->', preloads)
    .replace('<!-- navigation -->', mainNavigation().text)
    .replace('{sign-in}', hasProvider ? 'password provider' : 'password')
    .replaceAll('{version}', version);
  return staticText('text/html; charset=utf-8', html);
}

function assetReply(request: Request, { version, files }: Assets): PageContent {
  const { version: requested, file } = request.params;
  const asset = requested === version ? files.get(String(file)) : undefined;
  if (!asset) {
    throw new Problem('NOT_FOUND', 'The page has no such file.', {
      suggestion: 'Load / again: it links to the current files.',
    });
  }
  const encoding = tightEncodingFor(request);
  const headers = [
    ...COMMON_HEADERS,
    ...INERT,
    ...['cache-control', 'public, max-age=31536000, immutable'],
    ...encodingHeaders(encoding),
  ];
  return { status: 200, type: asset.type, body: asset.body[encoding], headers };
}
