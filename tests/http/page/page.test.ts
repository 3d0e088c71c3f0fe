import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { venuesIn } from '../../../adapters/http/page/browser/kit/value-texts.ts';
import { servedScripts } from '../../../adapters/http/page/page-scripts.ts';
import { servicePages } from '../../../adapters/http/service-pages.ts';
import { VENUES } from '../../../domain/market/venues.ts';
import { shippedScripts } from '../../../scripts/build/shipped-files.ts';
import { testApp } from '../app.ts';
import { failing } from '../example.ts';

const { app } = testApp([failing(() => undefined)]);
const index = await request(app).get('/');
const [, version = ''] = /href="\/page\/([0-9a-f]+)\/style\.css"/.exec(index.text) ?? [];
const SOURCES = join(import.meta.dirname, '../../../adapters/http/page/browser');
const MODULES = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
/** One for each folder, and for each module beside them. */
const SCRIPTS = [...new Set(MODULES.map((name) => `${name.replace(/\/.*|\.ts$/, '')}.js`))];

function file(name: string, encoding = 'identity') {
  return request(app).get(`/page/${version}/${name}`).set('accept-encoding', encoding);
}

describe('the document', () => {
  test('is a page that only files of this service can change, run or style', () => {
    expect([index.status, index.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    const policy = String(index.headers['content-security-policy']).split('; ');
    expect(policy).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self'",
      "connect-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
    ]);
    expect(index.headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
  });

  test.each([
    [{ hasProvider: false, needsFactor: false, hasMail: false }, 'password'],
    [{ hasProvider: true, needsFactor: false, hasMail: false }, 'password provider'],
    [{ hasProvider: false, needsFactor: true, hasMail: false }, 'password factor'],
    [{ hasProvider: false, needsFactor: false, hasMail: true }, 'password mail'],
  ])('says how owners sign in: with %j it is "%s"', async (facts, ways) => {
    const pages = servicePages([], '0.4.0', async () => ({ database: true }), 'sid', facts);
    const { text } = await request(testApp([], { pages }).app).get('/');
    expect(text).toContain(`<meta name="sign-in" content="${ways}">`);
  });

  test('names the venues, those with sessions with their zones, so that the page shows local times', () => {
    const stated = /<meta name="venues" content="([^"]*)">/.exec(index.text)?.[1] ?? '';
    const venues = venuesIn(stated);
    expect([...venues.keys()]).toEqual(VENUES.map(({ name }) => name));
    expect(['HKEX', 'NSE', 'NYSE', 'KRAKEN'].map((name) => venues.get(name))).toEqual([
      ...['Asia/Hong_Kong', 'Asia/Kolkata', 'America/New_York'],
      undefined,
    ]);
    expect(venuesIn('')).toEqual(new Map());
  });

  test('has no inline content that its policy would refuse', () => {
    expect(index.text).not.toMatch(/<style|style=|javascript:|\son\w+=|<script(?![^>]*src=)/);
  });

  test('loads nothing from another host', () => {
    const loaded = [...index.text.matchAll(/<(?:script|link|img)[^>]*(?:src|href)="([^"]+)"/g)].map(([, url]) => url);
    expect(loaded.length).toBeGreaterThan(5);
    expect(loaded.filter((url) => !url?.startsWith(`/page/${version}/`))).toEqual([]);
  });

  test('names only files that are served', async () => {
    const named = new Set([...index.text.matchAll(/"\/page\/[0-9a-f]+\/([^"]+)"/g)].map(([, name]) => name ?? ''));
    for (const name of named) expect((await file(name)).status).toBe(200);
  });

  test('304 without a body for the current ETag, 200 for another', async () => {
    const { etag = '' } = index.headers;
    for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const reply = await request(app).get('/').set('if-none-match', tag);
      expect([reply.status, reply.text, reply.headers.etag]).toEqual([304, '', etag]);
    }
    expect((await request(app).get('/').set('if-none-match', '"other"')).status).toBe(200);
  });

  test('HEAD returns the headers alone, other methods are 405', async () => {
    const head = await request(app).head('/').set('accept-encoding', 'gzip');
    expect([head.status, head.text]).toEqual([200, undefined]);
    expect(head.headers['content-length']).toBe(index.headers['content-length']);
    const post = await request(app).post('/');
    expect([post.status, post.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });
});

describe('the files', () => {
  test('can be cached for ever, because their address changes with their content', async () => {
    const { headers } = await file('style.css');
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(headers['content-type']).toBe('text/css; charset=utf-8');
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  test.each([
    ['gzip', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['gzip, br;q=0', 'gzip'],
  ])('are compressed for clients that accept %s by %s, and uncompressed for others', async (accepted, encoding) => {
    const [packed, plain] = [await file('uqr.mjs', accepted), await file('uqr.mjs')];
    expect([packed.headers['content-encoding'], plain.headers['content-encoding']]).toEqual([encoding, undefined]);
    expect(packed.headers.vary).toBe('accept-encoding, origin');
    expect(Number(packed.headers['content-length'])).toBeLessThan(Number(plain.headers['content-length']) / 2);
    expect(packed.text === plain.text).toBe(true);
  });

  test('are scripts without types', async () => {
    expect(SCRIPTS).toEqual(expect.arrayContaining(['start-page.js', 'verify-page.js', 'kit.js', 'account.js']));
    for (const name of SCRIPTS) {
      const { status, text, headers } = await file(name);
      expect([name, status, headers['content-type']]).toEqual([name, 200, 'text/javascript; charset=utf-8']);
      expect([name, /import type|: readonly |\): void/.exec(text)?.[0]]).toEqual([name, undefined]);
    }
  });

  test('contain each module once, in the file of its folder, and load those of other folders from theirs', async () => {
    for (const name of MODULES.filter((each) => each.includes('/'))) {
      const [folder = '', ...module] = name.split('/');
      const { text } = await file(`${folder}.js`);
      expect([name, text.split(`'${module.join('/')}': module`).length]).toEqual([name, 2]);
    }
    const { text } = await file('start-page.js');
    expect(text).toContain('import("./home.js").then(({ modules }) => modules["home-view.ts"])');
    expect(text).toMatch(/^import \{ modules as \$kit \} from '\.\/kit\.js';/m);
  });

  test('import each other without a circle, in which one would run before what it imports', () => {
    const left = new Map(servedScripts(SOURCES).map(({ name, imports }) => [name, imports]));
    for (let before = -1; before !== left.size; ) {
      before = left.size;
      for (const [name, imports] of left) if (!imports.some((each) => left.has(each))) left.delete(name);
    }
    expect([...left.keys()]).toEqual([]);
  });

  test('have no text of several lines, which the removal of comments could change', () => {
    const texts = MODULES.map((name) => readFileSync(join(SOURCES, name), 'utf8'));
    expect(texts.filter((text) => /`[^`\n]*\n/.test(text.replace(/`[^`\n]*`|^\s*(?:\/?\*|\/\/).*/gm, '')))).toEqual([]);
  });

  test('have no text with two blanks in a row, which become one with those that types left', () => {
    const sources = MODULES.map((name) => readFileSync(join(SOURCES, name), 'utf8'));
    const texts = sources.flatMap((source) => source.match(/'(?:[^'\\\n]|\\.)*'|`[^`\n]*`/g) ?? []);
    expect(texts.length).toBeGreaterThan(1_000);
    expect(texts.filter((text) => / {2}/.test(text))).toEqual([]);
  });

  test('are less than 210 KiB together in Brotli as the build ships them, and those of the first view less than 120 with gzip', async () => {
    const first = [...index.text.matchAll(/modulepreload" href="\/page\/\w+\/([^"]+)"/g)].map(([, name]) => name ?? '');
    const weighed = async (names: readonly string[], encoding: 'br' | 'gzip') => {
      const replies = await Promise.all(names.map((name) => file(name, encoding)));
      expect(replies.map(({ status, headers }) => [status, headers['content-encoding']])).toEqual(
        names.map(() => [200, encoding]),
      );
      return replies.reduce((sum, { headers }) => sum + Number(headers['content-length']), 0) / 1_024;
    };
    const styles = ['views.css', 'workflows.css'];
    const atFirst = ['style.css', 'home.css', 'icon.svg'];
    const libraries = ['lightweight-charts.mjs', 'uqr.mjs'];
    const shipped = shippedScripts().reduce((sum, { text }) => sum + brotliCompressSync(text).length / 1_024, 0);
    expect(shipped + (await weighed([...styles, ...atFirst, ...libraries], 'br'))).toBeLessThan(210);
    expect(await weighed([...first, ...atFirst], 'gzip')).toBeLessThan(120);
  });

  test('that come first are those that the home imports, each once', async () => {
    const first = [...index.text.matchAll(/modulepreload" href="\/page\/\w+\/([^"]+)"/g)].map(([, name]) => name ?? '');
    expect(first).toEqual([...new Set(first)]);
    expect(first).toEqual(expect.arrayContaining(['start-page.js', 'home.js', 'kit.js']));
    expect(first.filter((name) => /account|webhooks/.test(name))).toEqual([]);
    for (const name of first) expect((await file(name)).status).toBe(200);
  });

  test('contain the notices that their licences require', async () => {
    expect((await file('lightweight-charts.mjs')).text.includes('TradingView Lightweight Charts')).toBe(true);
    expect((await file('uqr.mjs')).text).toContain('Permission is hereby granted');
    expect(index.text).toContain('https://www.tradingview.com/');
  });

  test.each([
    'page.ts',
    'index.html',
    'tsconfig.json',
    '__proto__',
    '..%2fpage.ts',
    '..%2f..%2f..%2f..%2fpackage.json',
    '%2e%2e%2f%2e%2e%2frouter.ts',
    'style.css%00.ts',
    'kit/elements.ts',
    'start-page.ts',
    'kit..%2f..%2fassets.ts',
    'browser/start-page.ts',
    'browser%2fstart-page.ts',
    '..%5cpage.ts',
  ])('%s is 404, because it is no file of the page', async (name) => {
    const { status, body } = await file(name);
    expect([status, body.error.code]).toEqual([404, 'NOT_FOUND']);
  });

  test('another version of a file is 404, and the suggestion is to load the page again', async () => {
    const { status, body } = await request(app).get('/page/0123456789abcdef/style.css');
    expect([status, body.error.suggestion]).toEqual([404, 'Load / again: it links to the current files.']);
  });
});
