import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Markup } from '../docs/markup.ts';
import { DOCUMENT_HEADERS } from '../kit/reply/headers.ts';
import { type StaticText, staticReply, staticText } from '../kit/reply/static-reply.ts';
import type { ServedPage } from '../kit/unmatched.ts';
import { currentAssets } from './assets.ts';
import { assetAddress, mainNavigation, moduleScript, preloaded, styleSheet, wholeDocument } from './document.ts';

const VERIFY = '/verify';

/** The page reads files that the reader chooses and runs the verifier; it can connect to nothing. */
const VERIFY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const PAGE_HEADERS: readonly string[] = [
  ...DOCUMENT_HEADERS,
  ...['content-security-policy', VERIFY_POLICY, 'cache-control', 'no-cache'],
];

/** The page that runs the verifier of the evidence log (docs/log.md), made at its first request. */
export function verifyPages(): ServedPage[] {
  let page: StaticText | undefined;
  return [
    {
      path: VERIFY,
      async render(request) {
        page ??= staticText('text/html; charset=utf-8', pageText());
        return staticReply(page, request, PAGE_HEADERS);
      },
    },
  ];
}

function pageText(): string {
  const { version } = currentAssets();
  const body = readFileSync(join(import.meta.dirname, 'verify.html'), 'utf8')
    .replace('<!-- navigation -->', mainNavigation(VERIFY).text)
    .replaceAll('{version}', version);
  const head = {
    title: 'Verify a receipt \u2013 Stancebook',
    meta: { description: 'Verifies receipts of an evidence log in the browser, without sending them anywhere.' },
    loads: [
      styleSheet('style.css'),
      preloaded('/clients/verify.mjs'),
      preloaded(assetAddress('kit.js')),
      moduleScript('verify-page.js'),
    ],
  };
  return wholeDocument(head, new Markup(body.trimEnd()));
}
