import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Request } from 'express';
import { VENUE_TIME_ZONES } from '../../../domain/market/calendars/by-venue.ts';
import { VENUES } from '../../../domain/market/venues.ts';
import { Problem } from '../../../domain/problem.ts';
import { Markup } from '../docs/markup.ts';
import { COMMON_HEADERS, DOCUMENT_HEADERS, INERT } from '../kit/reply/headers.ts';
import {
  encodingHeaders,
  type StaticText,
  staticReply,
  staticText,
  tightEncodingFor,
} from '../kit/reply/static-reply.ts';
import type { PageContent, ServedPage } from '../kit/unmatched.ts';
import { type Assets, currentAssets } from './assets.ts';
import { assetAddress, mainNavigation, moduleScript, preloaded, styleSheet, wholeDocument } from './document.ts';

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
  /** Whether owners need a second factor for all that they do. */
  readonly needsFactor: boolean;
  /** Whether the service sends mail. */
  readonly hasMail: boolean;
  /** Its address where it has one, which the commands of the guide and of the reference name. */
  readonly publicOrigin?: string;
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
function indexOf({ version, scripts }: Assets, { hasProvider, needsFactor, hasMail }: PageFacts): StaticText {
  const body = readFileSync(join(import.meta.dirname, 'index.html'), 'utf8')
    .replace('<!-- navigation -->', mainNavigation().text)
    .replaceAll('{version}', version);
  const head = {
    title: 'Stancebook: decisions of software agents, with their evidence',
    meta: {
      description: DESCRIPTION,
      // Each with the zone of its sessions, where it has any: the page shows local times and suggests names.
      venues: VENUES.map(({ name }) => [name, VENUE_TIME_ZONES[name]].filter(Boolean).join('=')).join(' '),
      'sign-in': ['password', hasProvider && 'provider', needsFactor && 'factor', hasMail && 'mail']
        .filter(Boolean)
        .join(' '),
    },
    loads: [
      styleSheet('style.css'),
      styleSheet('home.css'),
      styleSheet('views.css'),
      ...scripts.map((name) => preloaded(assetAddress(name))),
      moduleScript('start-page.js'),
    ],
  };
  return staticText('text/html; charset=utf-8', wholeDocument(head, new Markup(body.trimEnd())));
}

const DESCRIPTION =
  'An evidence store for trading decisions made by software agents: decisions are recorded before their outcome is known, graded against real prices, and never changed.';

async function assetReply(request: Request, { version, files }: Assets): Promise<PageContent> {
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
  return { status: 200, type: asset.type, body: await asset.body[encoding], headers };
}
