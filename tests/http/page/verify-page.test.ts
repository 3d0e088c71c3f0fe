import { describe, expect, test } from '@jest/globals';
import request from 'supertest';
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

function navigationOf(text: string): string {
  return /<nav aria-label="Main">.*?<\/nav>/s.exec(text)?.[0] ?? '';
}
