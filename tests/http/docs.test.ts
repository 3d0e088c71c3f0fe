import { expect, test } from '@jest/globals';
import request from 'supertest';
import { z } from 'zod';
import { html, prose } from '../../adapters/http/docs/markup.ts';
import { examplesOf } from '../../adapters/http/docs/operation-view.ts';
import { endpoint } from '../../adapters/http/kit/endpoint.ts';
import { inlinedDocument } from '../../adapters/http/openapi/reference.ts';
import { READING_ORDER, TAGS } from '../../adapters/http/openapi/refusals.ts';
import { endpointsOf } from '../../adapters/http/routes/endpoints.ts';
import { servicePages } from '../../adapters/http/service-pages.ts';
import type { Ports } from '../../application/ports.ts';
import { testApp } from './app.ts';
import { failing, writeNote } from './example.ts';

const { app } = testApp([writeNote, failing(() => undefined)]);

test('the document is served as it is generated, and anybody may keep a copy for a while', async () => {
  const { status, headers, body } = await request(app).get('/openapi.json');
  expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
  expect(headers['cache-control']).toBe('public, max-age=300');
  expect(Object.keys(body.paths)).toEqual(['/api/v1/agent/notes/{note_id}', '/api/v1/public/failure']);
});

test.each(['/openapi.json', '/docs'])(
  '304 for a caller with the current ETag of %s, 200 for one with another',
  async (path) => {
    const { headers } = await request(app).get(path);
    const again = await request(app).get(path).set('if-none-match', `W/"other", ${headers.etag}`);
    expect([again.status, again.text, again.headers.etag]).toEqual([304, '', headers.etag]);
    expect(again.headers['cache-control']).toBe(headers['cache-control']);
    const ofOther = await request(testApp([writeNote]).app)
      .get(path)
      .set('if-none-match', String(headers.etag));
    expect(ofOther.status).toBe(200);
  },
);

test.each(['/openapi.json', '/docs'])(
  '%s is compressed for callers that accept gzip, under an ETag of its own',
  async (path) => {
    const packed = await request(app).get(path).set('accept-encoding', 'br, gzip');
    const plain = await request(app).get(path).set('accept-encoding', 'gzip;q=0');
    expect([packed, plain].map(({ headers }) => headers['content-encoding'])).toEqual(['gzip', undefined]);
    expect(Number(packed.headers['content-length'])).toBeLessThan(Number(plain.headers['content-length']) / 2);
    expect(packed.text).toBe(plain.text);
    for (const { headers } of [packed, plain]) expect(headers.vary).toContain('accept-encoding');
    const other = await request(app)
      .get(path)
      .set('accept-encoding', 'gzip;q=0')
      .set('if-none-match', packed.headers.etag ?? '');
    expect(other.status).toBe(200);
  },
);

test('the reference names every operation and leads to its page; each loads one script of its own', async () => {
  const { text, headers } = await request(app).get('/docs');
  expect(headers['content-type']).toBe('text/html; charset=utf-8');
  for (const id of ['writeNote', 'fail']) {
    expect(text).toContain(`id="${id}"`);
    const operation = await request(app).get(`/docs/${id}`);
    expect([operation.status, operation.headers['content-security-policy']]).toEqual([
      200,
      headers['content-security-policy'],
    ]);
    expect(operation.text).toContain(`href="/docs/${id}" aria-current="page"`);
  }
  expect(headers['content-security-policy']).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'self'; connect-src 'self'; .*require-trusted-types-for 'script'$/,
  );
  expect(text).not.toMatch(/https?:\/\/|@import/);
  const [script = '', ...others] = [...text.matchAll(/ src="([^"]+)"/g)].map(([, address = '']) => address);
  expect([others, (await request(app).get(script)).status]).toEqual([[], 200]);
});

test('the version of the reference is said to be that of the interface', async () => {
  const { text } = await request(app).get('/docs');
  expect(text).toContain('<h1>Stancebook <small>interface 0.4.0</small></h1>');
  expect(text).toContain('<title>Reference \u2013 Stancebook</title>');
});

test('an operation that there is not has no page', async () => {
  for (const id of ['nothing', '__proto__', 'Errors']) expect((await request(app).get(`/docs/${id}`)).status).toBe(404);
});

test('the examples of an operation name this service, in curl, Python and TypeScript', async () => {
  const pages = servicePages([writeNote], '0.4.0', async () => ({}), 'sid', {
    ...FACTS,
    publicOrigin: 'https://x.test',
  });
  const { text } = await request(testApp([], { pages }).app).get('/docs/writeNote');
  expect(text).toContain('curl -X POST &quot;https://x.test/api/v1/agent/notes/n1&quot;');
  expect(text).toContain('request = Request(\n    &quot;https://x.test/api/v1/agent/notes/n1&quot;,');
  expect(text).toContain('await fetch(&quot;https://x.test/api/v1/agent/notes/n1&quot;, {');
  const own = await request(app).get('/docs/writeNote');
  expect(own.text).toMatch(/curl -X POST &quot;http:\/\/127\.0\.0\.1:\d+\/api/);
  expect(own.text).not.toContain('$BASE_URL');
});

test('the example in TypeScript of every operation is a program', async () => {
  const { text } = await request(testApp(endpointsOf({} as Ports)).app).get('/openapi.json');
  const { paths } = inlinedDocument(JSON.parse(text));
  const programs = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => examplesOf(path, method, operation, 'http://a.test')),
  );
  const [inCurl, inPython, inTypeScript] = ['curl', 'Python', 'TypeScript'].map((language) =>
    programs.filter((each) => each.language === language),
  );
  expect(inTypeScript?.length).toBeGreaterThan(100);
  for (const { text: program } of inTypeScript ?? []) {
    expect(() => new Function(`return async () => { ${program} }`)).not.toThrow();
  }
  expect(inPython?.filter(({ text: program }) => /[:[(,\s](null|true|false)[,}\]\n]/.test(program))).toEqual([]);
  expect(inCurl?.filter(({ text: program }) => !program.includes('"http://a.test/'))).toEqual([]);
});

test('every link of the pages leads somewhere', async () => {
  const anchors = new Map<string, ReadonlySet<string>>();
  const open = ['/docs'];
  const links: string[] = [];
  for (let address = open.pop(); address !== undefined; address = open.pop()) {
    if (anchors.has(address)) continue;
    const { status, text } = await request(app).get(address);
    expect([address, status]).toEqual([address, 200]);
    anchors.set(address, new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id)));
    for (const [, href = ''] of text.matchAll(/href="([^"]+)"/g)) {
      const { pathname, hash } = new URL(href, `http://docs${address}`);
      if (!pathname.startsWith('/docs')) continue;
      if (hash !== '') links.push(`${pathname}${hash}`);
      open.push(pathname);
    }
  }
  expect([...anchors.keys()].sort()).toEqual([
    '/docs',
    '/docs/errors',
    '/docs/fail',
    '/docs/schemas',
    '/docs/writeNote',
  ]);
  const broken = links.filter((link) => !anchors.get(link.split('#')[0] ?? '')?.has(link.split('#')[1] ?? ''));
  expect([links.length > 5, broken]).toEqual([true, []]);
});

test('the command line of the admin area uses a session, which everyone can have', async () => {
  const { text } = await request(testApp([failing(() => undefined, 'admin')]).app).get('/docs/fail');
  expect(text).toContain('-b cookies.txt -H &quot;Sec-Fetch-Site: same-origin&quot;');
  expect(text).not.toContain('STANCEBOOK_OWNER_TOKEN');
});

test('the members of a body are shown in place, those of a reply by a link', async () => {
  const sort = z.enum(['up', 'down']).meta({ id: 'Sort' });
  const ask = z.strictObject({ sort: sort.nullable() }).meta({ id: 'Ask', description: 'What is asked.' });
  const answer = z.strictObject({ value: z.string() }).meta({ id: 'Answer' });
  const question = endpoint({
    ...FIELDS,
    method: 'POST',
    summary: 'Ask',
    body: { schema: ask, example: { sort: 'up' } },
    replies: { 200: { description: 'Answered with `value`.', schema: answer, example: { value: 'a' } } },
    handle: () => ({ status: 200, body: { value: 'a' } }),
  });
  const { app: asking } = testApp([question]);
  const { text: operation } = await request(asking).get('/docs/hostile');
  const { text: schemas } = await request(asking).get('/docs/schemas');
  expect(operation).toContain('<code>sort</code> <b>required</b></td><td>string or null</td><td>one of up, down</td>');
  expect(operation).toContain('Answered with <code>value</code>.');
  expect(operation).toContain('<a href="/docs/schemas#schema-Answer">Answer</a>');
  expect(operation).not.toContain('<code>value</code></td>');
  expect(schemas).toContain('What is asked.');
  expect(schemas).toContain('<code>value</code> <b>required</b></td>');
});

test('what an agent does first comes first, what operators do last', async () => {
  const { text } = await request(testApp(endpointsOf({} as Ports)).app).get('/docs');
  const groups = [...text.matchAll(/<h2>([^<]+)<\/h2>/g)].map(([, name]) => name);
  expect(groups.filter((name) => name !== undefined && TAGS[name])).toEqual(READING_ORDER);
  expect([...READING_ORDER].sort()).toEqual(Object.keys(TAGS).sort());
  const [, begin = ''] = /Begin here<\/p><ul>(.*?)<\/ul>/s.exec(text) ?? [];
  expect(begin.match(/href="[^"]+"/g)).toEqual(
    ['quickSetup', 'submitDecision', 'readDecisionState', 'readDecisionReceipt', 'queryWisdom'].map(
      (id) => `href="/docs/${id}"`,
    ),
  );
});

test('each refusal of an operation is described in words, those of most operations once', async () => {
  const { text: submit } = await request(testApp(endpointsOf({} as Ports)).app).get('/docs/submitDecision');
  expect(submit).toMatch(/#error-DUPLICATE_SUBMISSION"><code>DUPLICATE_SUBMISSION<\/code><\/a>: [^<]{20,}/);
  expect(submit).not.toContain('#error-INTERNAL_ERROR');
  expect(submit).toContain('And as most operations: ');
});

test('a form has a field for each parameter and the body; operators have none', async () => {
  const { text } = await request(app).get('/docs/writeNote');
  const [form = ''] = /<form class="try".*?<\/form>/s.exec(text) ?? [];
  expect(form).toContain('data-method="POST" data-path="/api/v1/agent/notes/{note_id}"');
  const places = [...form.matchAll(/data-in="(\w+)"/g)].map(([, place]) => place);
  expect(places).toEqual(['path', 'query', 'query', 'header', 'body']);
  const served = endpointsOf({} as Ports).find(({ path }) => path.startsWith('/api/v1/admin'));
  const { text: ofOperators } = await request(testApp(endpointsOf({} as Ports)).app).get(`/docs/${served?.id}`);
  expect(ofOperators).toContain('<h2>Replies</h2>');
  expect(ofOperators).not.toContain('data-path=');
});

test('the texts of an endpoint are escaped, never used as markup', async () => {
  const hostile = endpoint({ ...FIELDS, summary: '<img onerror=x>', handle: () => ({ status: 204 }) });
  for (const address of ['/docs', '/docs/hostile']) {
    const { text } = await request(testApp([hostile]).app).get(address);
    expect(text).toContain('&lt;img onerror=x&gt;');
    expect(text).not.toContain('<img');
  }
});

test('a template escapes its parts and keeps markup', () => {
  expect(html`<p>${'"&\''}${html`<b>${1}</b>`}${null}${['<', false]}</p>`.text).toBe(
    '<p>&quot;&amp;&#39;<b>1</b>&lt;</p>',
  );
});

test('backticks mark code, and their content is escaped', () => {
  expect(prose('send `<a>` or `b`').text).toBe('send <code>&lt;a&gt;</code> or <code>b</code>');
});

const FACTS = { hasProvider: false, needsFactor: false, hasMail: false };

const FIELDS = {
  id: 'hostile',
  method: 'GET',
  path: '/api/v1/hostile',
  description: '',
  tag: 'Hostile',
  auth: 'none',
  replies: { 204: { description: 'Nothing' } },
  problems: [],
} as const;
