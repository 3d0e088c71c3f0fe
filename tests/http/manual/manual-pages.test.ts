import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { testApp } from '../app.ts';

const { app } = testApp([]);
const documents = readdirSync(join(import.meta.dirname, '../../../docs'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.md') && path !== 'README.md')
  .map((path) => `/guide/${path.replace(/\.md$/, '')}`);

/** Every page that can be reached from the index, by its address. */
let pages: ReadonlyMap<string, Page>;
beforeAll(async () => {
  pages = await crawled('/guide/');
});

interface Page {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

describe('the pages of the guide', () => {
  test('every document can be reached from the index', () => {
    expect(documents.filter((address) => !pages.has(address))).toEqual([]);
  });

  test('every link leads to a page, and to a heading of it', () => {
    const broken = [...pages].flatMap(([address, { text, headers }]) =>
      (isHtml(headers) ? linksOf(text) : [])
        .map((link) => new URL(link, `http://guide${address}`))
        .filter(({ origin, pathname }) => origin === 'http://guide' && pathname.startsWith('/guide'))
        .filter(({ pathname, hash }) => !leads(pathname, decodeURIComponent(hash.slice(1))))
        .map((link) => `${address}: ${link.pathname}${link.hash}`),
    );
    expect(broken).toEqual([]);
  });

  test('none has a script, a frame, or anything of another host', () => {
    for (const { text, headers } of [...pages.values()].filter((page) => isHtml(page.headers))) {
      expect(text).not.toMatch(/<(script|iframe|object|form [^>]*action="[^/])/);
      expect(text).not.toMatch(/ (src|action)="(https?:)?\/\//);
      expect(headers['content-security-policy']).toMatch(
        /^default-src 'none'; style-src 'sha256-[^']+'; img-src 'self';/,
      );
    }
  });

  test('HTML in a document is text', () => {
    const { text } = pages.get('/guide/contract') ?? { text: '' };
    expect(text).toContain('<h1 id="the-contract-as-a-document">');
    expect([...pages.values()].map((page) => page.text).join('')).not.toContain('onerror=x>');
  });

  test('each names itself, and is marked in the navigation', () => {
    const { text } = pages.get('/guide/limits') ?? { text: '' };
    expect(text).toContain('<title>Limits \u2013 Stancebook</title>');
    expect(text.match(/aria-current="page"/g)).toHaveLength(1);
  });

  test('files that documents refer to are served as text', () => {
    const compose = pages.get('/guide/operating/compose.yaml');
    expect([compose?.status, compose?.headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
  });
});

test('commands name this service, except those that start another one', async () => {
  const own = pages.get('/guide/accounts')?.text ?? '';
  expect(own).toMatch(/curl -s http:\/\/127\.0\.0\.1:\d+\/api/);
  const commands = [...pages.values()].flatMap(({ text }) => text.match(/<pre[^>]*>.*?<\/pre>/gs) ?? []);
  expect(commands.filter((text) => /https:\/\/stancebook\.example(?![\w.])|127\.0\.0\.1:3000\/api/.test(text))).toEqual(
    [],
  );
});

describe('what is asked for', () => {
  test('/guide leads to /guide/', async () => {
    const { status, headers } = await request(app).get('/guide');
    expect([status, headers.location]).toEqual([308, '/guide/']);
  });

  test.each([
    '/guide/nothing',
    '/guide/..%2F..%2Fpackage',
    '/guide/adr/0000',
    '/guide/%2e%2e/README',
    '/guide/README.md',
  ])('%s is 404, whatever is on the disk', async (address) => {
    expect((await request(app).get(address).set('accept', 'text/html')).status).toBe(404);
  });

  test('304 for a reader who has the page', async () => {
    const { headers } = await request(app).get('/guide/limits');
    const again = await request(app).get('/guide/limits').set('if-none-match', String(headers.etag));
    expect([again.status, again.text]).toEqual([304, '']);
  });
});

describe('the search', () => {
  const search = async (words: string) => (await request(app).get('/guide/').query({ q: words })).text;

  test('finds sections with the words, those with them in the heading first', async () => {
    const links = linksOf((await search('recovery codes')).split('<main')[1] ?? '');
    expect(links[0]).toBe('/guide/second-factors#whatever-your-factors-are');
    expect(links.every((link) => leads(...(link.split('#') as [string, string])))).toBe(true);
  });

  test('answers the question that its field shows', async () => {
    const [, question = ''] = /placeholder="([^"]+)"/.exec(pages.get('/guide/')?.text ?? '') ?? [];
    const links = linksOf((await search(question)).split('<main')[1] ?? '');
    expect(links[0]).toBe('/guide/accounts#get-an-account-and-an-api-key');
  });

  test('shows the words in their place', async () => {
    expect(await search('cooldown')).toMatch(/<mark>cooldown<\/mark>/i);
  });

  test('says when nothing is found, and what to do', async () => {
    expect(await search('xylophone')).toContain('Nothing contains any of these words.');
  });

  test.each(['"><script>alert(1)</script>', '<img src=x onerror=x>', '\u0000', '(((', 'a'.repeat(5_000)])(
    '%s is text',
    async (words) => {
      const text = await search(words);
      expect(text).toContain('<h1>Search:');
      expect(text).not.toMatch(/<script|<img/);
    },
  );
});

/** GETs an address and everything below /guide that it links to. */
async function crawled(start: string): Promise<Map<string, Page>> {
  const found = new Map<string, Page>();
  const open = [start];
  for (let address = open.pop(); address !== undefined; address = open.pop()) {
    if (found.has(address)) continue;
    const { status, headers, text = '' } = await request(app).get(address).set('accept', 'text/html');
    found.set(address, { status, headers, text });
    for (const link of isHtml(headers) ? linksOf(text) : []) {
      const { origin, pathname } = new URL(link, `http://guide${address}`);
      if (origin === 'http://guide' && pathname.startsWith('/guide')) open.push(pathname);
    }
  }
  return found;
}

function isHtml(headers: Page['headers']): boolean {
  return headers['content-type']?.startsWith('text/html') === true;
}

function linksOf(text: string): readonly string[] {
  return [...text.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, link = '']) => link.replaceAll('&amp;', '&'));
}

function leads(address: string, anchor = ''): boolean {
  const page = pages.get(address);
  return page?.status === 200 && (anchor === '' || page.text.includes(` id="${anchor}"`));
}
