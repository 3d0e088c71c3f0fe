import { describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { testApp } from '../app.ts';
import { writeNote } from '../example.ts';

const { app } = testApp([writeNote]);
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';

const get = (path: string, accept?: string) => {
  const sent = request(app).get(path);
  return accept === undefined ? sent : sent.set('accept', accept);
};

describe('a path that is not served', () => {
  test.each(['/atlas', '/docs/submit', '/records/dec_20260130_5c0ffee5', '/page', '/healthz/', '/apis'])(
    '%s is a page for browsers: 404 in HTML, with links and without scripts',
    async (path) => {
      const { status, headers, text } = await get(path, BROWSER);
      expect([status, headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
      expect(text).toContain('>There is no page at this address</h1>');
      expect(text).toContain(`<code>${path}</code>`);
      for (const link of ['/', '/docs', '/llms.txt']) expect(text).toContain(`href="${link}"`);
      expect(text).not.toMatch(/<script|https?:\/\//);
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'content-security-policy': expect.stringContaining("default-src 'none'; style-src 'self'"),
        'x-content-type-options': 'nosniff',
        'x-request-id': expect.any(String),
        'x-ratelimit-limit': expect.any(String),
      });
    },
  );

  test('its style and icon are served', async () => {
    const { text } = await get('/nothing', BROWSER);
    const files = [...text.matchAll(/href="(\/page\/[^"]+)"/g)].map(([, file = '']) => file);
    expect(files).toHaveLength(2);
    for (const file of files) expect((await get(file)).status).toBe(200);
  });

  test('the page names the nearest page, and never an endpoint', async () => {
    expect((await get('/doc', BROWSER)).text).toContain('Did you mean <a href="/docs">/docs</a>?');
    expect((await get('/agent/notes/n1', BROWSER)).text).not.toContain('Did you mean');
  });

  test('the path cannot become markup, and a long one is cut', async () => {
    const { text } = await get(`/x'&amp;${encodeURIComponent('"><script>')}`, BROWSER);
    expect(text).toContain('/x&#39;&amp;amp;%22%3E%3Cscript%3E');
    expect((await get(`/${'x'.repeat(5_000)}`, BROWSER)).text.length).toBeLessThan(2_500);
  });

  test.each([
    ['without Accept', '/atlas', undefined],
    ['of anything', '/atlas', '*/*'],
    ['of JSON before HTML', '/atlas', 'application/json, text/html;q=0.5'],
    ['of the interface', '/api/v1/nothing', BROWSER],
    ['of its root', '/api', BROWSER],
    ['of an image', '/favicon.ico', 'image/avif,image/webp,image/*,*/*;q=0.8'],
  ])('a request %s gets the envelope', async (_, path, accept) => {
    const { status, body } = await get(path, accept);
    expect([status, body.error.code]).toEqual([404, 'NOT_FOUND']);
  });

  test('HEAD has the headers of the page without a body, and POST gets the envelope', async () => {
    const head = await request(app).head('/atlas').set('accept', BROWSER);
    expect([head.status, head.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    const post = await request(app).post('/atlas').set('accept', BROWSER);
    expect([post.status, post.body.error.code]).toEqual([404, 'NOT_FOUND']);
  });
});
