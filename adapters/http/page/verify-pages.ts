import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SECOND } from '../../../domain/time.ts';
import { html, Markup } from '../docs/markup.ts';
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

/** How long a policy that was read is shown, as by caches of `/log/policy`. */
const POLICY_AGE = 5 * SECOND;

/**
 * The page that runs the verifier of the evidence log (docs/log.md). It has the policy of this service in it, because it can
 * connect to nothing.
 * @param readPolicy rejects where there is none, or it cannot be read; the page is then without it
 */
export function verifyPages(readPolicy: () => Promise<string> = () => Promise.reject()): ServedPage[] {
  const page = remembered(async () => readPolicy().catch(() => null));
  return [
    {
      path: VERIFY,
      async render(request) {
        return staticReply(await page(), request, PAGE_HEADERS);
      },
    },
  ];
}

/** The page, made again when the policy is another one. */
function remembered(read: () => Promise<string | null>): () => Promise<StaticText> {
  let last: { readonly policy: string | null; readonly page: StaticText } | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  return async () => {
    const now = performance.now();
    if (last && now - readAt < POLICY_AGE) return last.page;
    readAt = now;
    const policy = await read();
    if (last?.policy !== policy || !last) {
      last = { policy, page: staticText('text/html; charset=utf-8', pageText(policy)) };
    }
    return last.page;
  };
}

function policyPart(policy: string | null): string {
  if (policy === null) return '';
  return html`<div class="verify-buttons">
<button type="button" id="verify-own-policy">Use the policy of this service</button>
</div>
<p class="soft">That one shows that the files fit together and that this service signed them, and no more: who runs it has its key and could sign anything. <a href="/log/policy" download="policy">Keep a copy</a>, so that it cannot change later.</p>
<pre id="service-policy" hidden>${policy}</pre>`.text;
}

function pageText(policy: string | null): string {
  const { version } = currentAssets();
  const body = readFileSync(join(import.meta.dirname, 'verify.html'), 'utf8')
    .replace('<!-- navigation -->', mainNavigation(VERIFY).text)
    .replace('<!-- policy -->', () => policyPart(policy))
    .replaceAll('{version}', version);
  const head = {
    title: 'Verify a receipt \u2013 Stancebook',
    meta: { description: 'Verifies receipts of an evidence log in the browser, without sending them anywhere.' },
    loads: [
      ...['style.css', 'views.css'].map((name) => styleSheet(name)),
      preloaded('/clients/verify.mjs'),
      preloaded(assetAddress('kit.js')),
      moduleScript('verify-page.js'),
    ],
  };
  return wholeDocument(head, new Markup(body.trimEnd()));
}
