import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DOCUMENT_HEADERS } from '../kit/reply/headers.ts';
import { type StaticText, staticReply, staticText } from '../kit/reply/static-text.ts';
import type { ServedPage } from '../kit/served-page.ts';
import { currentAssets } from './assets.ts';
import { mainNavigation } from './main-navigation.ts';

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
  return readFileSync(join(import.meta.dirname, 'verify.html'), 'utf8')
    .replace('<!-- navigation -->', mainNavigation(VERIFY).text)
    .replaceAll('{version}', version);
}
