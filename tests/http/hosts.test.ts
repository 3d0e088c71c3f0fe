import { describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { wellKnownPages } from '../../adapters/http/service-pages.ts';
import { DAY } from '../../domain/time.ts';
import { testApp } from './app.ts';
import { writeNote } from './example.ts';

const PUBLIC = 'https://book.example';

describe('where PUBLIC_URL is set', () => {
  const settings = { publicUrl: PUBLIC, allowedHosts: ['api.internal', '[::1]'] };
  const { app } = testApp([writeNote], { settings, pages: [...wellKnownPages([], PUBLIC), ...pagesOfAnyHost()] });
  const statusAt = async (host: string, path = '/.well-known/change-password') =>
    (await request(app).get(path).set({ host })).status;

  test.each(['book.example', 'BOOK.example:443', 'book.example:8443', 'api.internal:3000', '[::1]:3000'])(
    'the host %s is served',
    async (host) => expect(await statusAt(host)).toBe(303),
  );

  test.each(['rebound.example', 'book.example.rebound.example', '127.0.0.1:3000', 'localhost', ''])(
    'the host %s is refused on every path, in words that say where to send the request',
    async (host) => {
      for (const path of ['/.well-known/change-password', '/', '/api/v1/notes/n-1', '/nowhere']) {
        const { status, body } = await request(app).post(path).set({ host });
        expect([status, body.error.code]).toEqual([421, 'MISDIRECTED_REQUEST']);
        expect(body.error.suggestion).toContain(PUBLIC);
      }
    },
  );

  test.each(['/healthz', '/readyz', '/metrics'])('%s is served at any host', async (path) => {
    expect(await statusAt('10.0.0.7:3000', path)).toBe(200);
  });

  test('browsers use https alone from then on, whatever the reply', async () => {
    for (const host of ['book.example', 'rebound.example']) {
      const { headers } = await request(app).get('/nowhere').set({ host });
      expect(headers['strict-transport-security']).toBe('max-age=31536000; includeSubDomains');
    }
  });
});

test('without PUBLIC_URL every host is served, and none is bound to https', async () => {
  const { app } = testApp([writeNote]);
  const { status, headers } = await request(app).get('/healthz').set({ host: 'any.example' });
  expect([status, headers['strict-transport-security']]).toEqual([200, undefined]);
});

test.each(['/', '/verify', '/import', '/docs', '/nowhere'])(
  'the page at %s is closed to windows of other sites',
  async (path) => {
    const { app } = testApp([writeNote]);
    const { headers } = await request(app).get(path).set('accept', 'text/html');
    expect(headers['content-type']).toContain('text/html');
    expect(headers['cross-origin-opener-policy']).toBe('same-origin');
    expect(headers['permissions-policy']).toContain('camera=()');
  },
);

test.each(['/healthz', '/nowhere', '/api/v1/notes/n-1', '/openapi.json', '/page/0123456789abcdef/style.css'])(
  'what is no page, as at %s, runs nothing and is in no frame',
  async (path) => {
    const { app } = testApp([writeNote]);
    const [, version = ''] = /\/page\/([0-9a-f]+)\//.exec((await request(app).get('/')).text) ?? [];
    const { headers } = await request(app).get(path.replace('0123456789abcdef', version));
    expect(headers).toMatchObject({
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
  },
);

test.each(['/healthz', '/', '/api/v1/notes/n-1'])(
  '405 for TRACE at %s, which returns nothing that was sent',
  async (path) => {
    const { app } = testApp([writeNote]);
    const { status, text } = await request(app).trace(path).set('x-api-key', 'sbk_canary');
    expect([status, text.includes('canary')]).toEqual([path.startsWith('/api') ? 404 : 405, false]);
  },
);

describe('below /.well-known', () => {
  const appWith = (contacts: readonly string[]) =>
    testApp([writeNote], { pages: wellKnownPages(contacts, PUBLIC) }).app;

  test('change-password leads to the request that does it', async () => {
    const { status, headers } = await request(appWith([])).get('/.well-known/change-password');
    expect([status, headers.location]).toEqual([303, '/docs/changePassword']);
  });

  test('security.txt names the contacts in their order, and when it expires', async () => {
    const contacts = ['mailto:security@book.example', 'https://book.example/report'];
    const { text, headers } = await request(appWith(contacts)).get('/.well-known/security.txt');
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    const [expires = ''] = /(?<=^Expires: ).*$/m.exec(text) ?? [];
    expect(text.replace(expires, 'THEN')).toBe(
      `Contact: ${contacts[0]}\nContact: ${contacts[1]}\nExpires: THEN\nCanonical: ${PUBLIC}/.well-known/security.txt\nPreferred-Languages: en\n`,
    );
    expect(Date.parse(expires) - Date.now()).toBeGreaterThan(89 * DAY);
    expect(Date.parse(expires) - Date.now()).toBeLessThan(92 * DAY);
  });

  test('without a contact there is no security.txt', async () => {
    expect((await request(appWith([])).get('/.well-known/security.txt')).status).toBe(404);
  });
});

function pagesOfAnyHost() {
  return ['/healthz', '/readyz', '/metrics'].map((path) => ({
    path,
    render: async () => ({ status: 200, headers: [] }),
  }));
}
