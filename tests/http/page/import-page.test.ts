import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { testApp } from '../app.ts';
import { failing } from '../example.ts';

const { app } = testApp([failing(() => undefined)]);
const page = await request(app).get('/import');
const script = await request(app).get('/import.mjs');

describe('/import', () => {
  test('is a page that connects to this service alone and runs only its scripts', () => {
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(String(page.headers['content-security-policy']).split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self'",
      "connect-src 'self'",
      "form-action 'none'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
    ]);
    expect(page.text).not.toMatch(/<style|style=|javascript:|\son\w+=|<script(?![^>]*src=)/);
  });

  test('names only files that are served, and each field has a label', async () => {
    const loaded = [...page.text.matchAll(/<(?:script|link|img)[^>]*(?:src|href)="([^"]+)"/g)].map(
      ([, url = '']) => url,
    );
    expect(loaded).toContain('/import.mjs');
    for (const url of new Set(loaded)) expect([url, (await request(app).get(url)).status]).toEqual([url, 200]);
    const fields = [...page.text.matchAll(/<(?:input|select|textarea) id="([^"]+)" name="([^"]+)"/g)];
    expect(fields.length).toBeGreaterThan(12);
    for (const [, id, name] of fields) expect([id, page.text.includes(`<label for="${id}">`)]).toEqual([name, true]);
    for (const [, id] of page.text.matchAll(/aria-describedby="([^"]+)"/g)) expect(page.text).toContain(`id="${id}"`);
  });

  test('304 for the current ETag', async () => {
    for (const [path, { headers }] of [
      ['/import', page],
      ['/import.mjs', script],
    ] as const) {
      const reply = await request(app).get(path).set('if-none-match', String(headers.etag));
      expect([path, reply.status]).toEqual([path, 304]);
    }
  });
});

describe('its script', () => {
  test('is JavaScript in one file, with every reader, and looks for parts that the page has', () => {
    expect([script.status, script.headers['content-type']]).toEqual([200, 'text/javascript; charset=utf-8']);
    expect(/^import |import type|: readonly /m.exec(script.text)).toBeNull();
    const wanted = [...script.text.matchAll(/part\('#([\w-]+)'/g)].map(([, id = '']) => id);
    expect(wanted.length).toBeGreaterThan(8);
    for (const id of wanted) expect([id, page.text.includes(`id="${id}"`)]).toEqual([id, true]);
    for (const name of ['freqtrade', 'tradingview', 'hummingbot']) expect(script.text).toContain(`name: '${name}'`);
  });

  test('is no part of the page at /, which a reader of that does not load', () => {
    const browser = readdirSync(join(import.meta.dirname, '../../../adapters/http/page/browser'));
    expect(browser).not.toContain('import');
  });
});
