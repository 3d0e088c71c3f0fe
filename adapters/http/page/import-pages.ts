import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleOf } from '../../../clients/typescript/bundle.ts';
import { html, Markup } from '../docs/markup.ts';
import { DOCUMENT_HEADERS } from '../kit/reply/headers.ts';
import { type StaticText, staticReply, staticText, TEXT_HEADERS } from '../kit/reply/static-reply.ts';
import type { ServedPage } from '../kit/unmatched.ts';
import { currentAssets } from './assets.ts';
import { mainNavigation, styleSheet, wholeDocument } from './document.ts';

/** Its script, with all readers; the page at `/` does not load it. */
const SCRIPT = '/import.mjs';

/** The page reads a file that the reader chooses, and sends its rows to this service alone. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const HEADERS: readonly string[] = [
  ...DOCUMENT_HEADERS,
  ...['content-security-policy', POLICY, 'cache-control', 'no-cache'],
];

/** The page that sends back-tests of other programs to a set (docs/imports.md), and its script. */
export function importPages(): ServedPage[] {
  let page: StaticText | undefined;
  let script: StaticText | undefined;
  return [
    {
      path: '/import',
      async render(request) {
        page ??= staticText('text/html; charset=utf-8', pageText());
        return staticReply(page, request, HEADERS);
      },
    },
    {
      path: SCRIPT,
      async render(request) {
        script ??= staticText(
          'text/javascript; charset=utf-8',
          bundleOf(join(import.meta.dirname, 'import/import-page.ts')),
        );
        return staticReply(script, request, TEXT_HEADERS);
      },
    },
  ];
}

function pageText(): string {
  const body = readFileSync(join(import.meta.dirname, 'import.html'), 'utf8')
    .replace('<!-- navigation -->', mainNavigation().text)
    .replaceAll('{version}', currentAssets().version);
  const head = {
    title: 'Import a back-test \u2013 Stancebook',
    meta: { description: 'Reads back-tests of other programs in the browser, and sends their rows to a set.' },
    loads: [
      ...['style.css', 'views.css'].map((name) => styleSheet(name)),
      html`<script type="module" src="${SCRIPT}"></script>`,
    ],
  };
  return wholeDocument(head, new Markup(body.trimEnd()));
}
