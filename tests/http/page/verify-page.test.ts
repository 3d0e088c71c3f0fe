import { describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { EXAMPLE } from '../../../adapters/http/page/browser/example/example.ts';
import { isSamePolicy, verdictOf } from '../../../adapters/http/page/browser/kit/value-texts.ts';
import { verifyPages } from '../../../adapters/http/page/verify-pages.ts';
import { sentencesOf } from '../../../clients/typescript/verify/sentences.ts';
import { type Line, line } from '../../../clients/typescript/verify/verdict.ts';
import { isProved, verifyProof } from '../../../clients/typescript/verify/verify-file.ts';
import { testApp } from '../app.ts';
import { failing } from '../example.ts';

const { app } = testApp([failing(() => undefined)]);
const page = await request(app).get('/verify');

describe('/verify', () => {
  test('is a page that can connect to nothing and runs only scripts of this service', () => {
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(String(page.headers['content-security-policy']).split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self'",
      "form-action 'none'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
    ]);
    expect(page.text).not.toMatch(/<style|style=|javascript:|\son\w+=|<script(?![^>]*src=)/);
  });

  test('names only files that are served', async () => {
    const loaded = [...page.text.matchAll(/<(?:script|link|img)[^>]*(?:src|href)="([^"]+)"/g)].map(
      ([, url]) => url ?? '',
    );
    expect(loaded).toContain('/clients/verify.mjs');
    for (const url of new Set(loaded)) expect([url, (await request(app).get(url)).status]).toEqual([url, 200]);
  });

  test('has the navigation of the home and of unknown paths, with itself marked', async () => {
    const [home, missing] = await Promise.all(
      ['/', '/nothing-here'].map((path) => request(app).get(path).set('accept', 'text/html')),
    );
    const navigation = navigationOf(page.text);
    expect(navigation.match(/ aria-current="page"/g)).toHaveLength(1);
    expect(navigation).toContain('<a href="/verify" aria-current="page">Verify</a>');
    const unmarked = navigation.replace(' aria-current="page"', '');
    expect([navigationOf(home?.text ?? ''), navigationOf(missing?.text ?? '')]).toEqual([unmarked, unmarked]);
  });

  test('304 for the current ETag', async () => {
    const reply = await request(app).get('/verify').set('if-none-match', String(page.headers.etag));
    expect(reply.status).toBe(304);
  });
});

describe('what the page says of the policy and the files', () => {
  test("is that the policy is the service's own, also with other line ends or without the last newline", () => {
    const own = 'log a+1+b\nquorum none\n';
    const given = [own, own.trim(), own.replaceAll('\n', '\r\n'), `\n${own}\n`];
    expect(given.map((text) => isSamePolicy(text, own))).toEqual([true, true, true, true]);
    expect(isSamePolicy(own.replace('a+1', 'b+1'), own)).toBe(false);
  });

  test('is late where a line is, and fails where one does', () => {
    const file = (proved: boolean, ...verdicts: readonly Line['verdict'][]) => {
      return { name: 'a', proved, lines: verdicts.map((verdict) => line(verdict, 'time', '')) };
    };
    const verdicts = [
      [file(true, 'holds')],
      [file(true, 'holds'), file(false, 'not checked')],
      [file(true, 'holds'), file(false, 'late', 'not checked')],
      [file(false, 'late'), file(false, 'FAILS')],
    ].map((files) => verdictOf({ files }));
    expect(verdicts).toEqual(['holds', 'not checked', 'late', 'FAILS']);
  });
});

describe('the policy of this service', () => {
  const pageWith = async (readPolicy: () => Promise<string>) =>
    request(testApp([failing(() => undefined)], { pages: verifyPages(readPolicy) }).app).get('/verify');

  test('is in the document as a text, next to what it is worth, and no file is read for it', async () => {
    const { status, text, headers } = await pageWith(async () => 'log <b>+1+a\nquorum none\n');
    expect(status).toBe(200);
    expect(text).toContain('<pre id="service-policy" hidden>log &lt;b&gt;+1+a\nquorum none\n</pre>');
    expect(text).toContain('Use the policy of this service</button>');
    expect(text).toContain('who runs it has its key and could sign anything');
    expect(headers['content-security-policy']).toBe(page.headers['content-security-policy']);
  });

  test('is not offered while there is none, or it cannot be read', async () => {
    const { status, text } = await pageWith(() => Promise.reject(new Error('the database is down')));
    expect([status, text.includes('service-policy'), text.includes('id="verify-files"')]).toEqual([200, false, true]);
    expect(page.text).not.toContain('service-policy');
  });
});

describe('the example', () => {
  test('is proved by the verifier that is served, and says what it is', async () => {
    const { proofs, policy } = EXAMPLE;
    const texts = proofs.map(({ text }) => text);
    const verified = await Promise.all(
      proofs.map(async ({ name, text }) => ({ name, ...(await verifyProof(text, policy.text, texts)) })),
    );
    expect(verified.map(({ lines }) => isProved(lines))).toEqual([true, true]);
    expect(sentencesOf(verified)).toEqual([
      'This decision, bullish on GME over 3 trading days, is retroactive: its prices could be known when it was submitted, ' +
        'and was graded weak_correct from prices that are in the file.',
    ]);
  });
});

function navigationOf(text: string): string {
  return /<nav aria-label="Main">.*?<\/nav>/s.exec(text)?.[0] ?? '';
}
