import { expect, test } from '@jest/globals';
import request from 'supertest';
import { z } from 'zod';
import { html, prose } from '../../adapters/http/docs/markup.ts';
import { endpoint } from '../../adapters/http/kit/endpoint.ts';
import { READING_ORDER, TAGS } from '../../adapters/http/openapi/refusals.ts';
import { endpointsOf } from '../../adapters/http/routes/endpoints.ts';
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

test('the reference page shows every operation under its anchor, and loads one script of its own', async () => {
  const { text, headers } = await request(app).get('/docs');
  expect(headers['content-type']).toBe('text/html; charset=utf-8');
  expect(headers['content-security-policy']).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'self'; connect-src 'self'; .*require-trusted-types-for 'script'$/,
  );
  for (const id of ['writeNote', 'fail', 'schemas', 'schema-Problem']) {
    expect(text).toContain(`id="${id}"`);
    expect(text).toContain(`href="#${id}"`);
  }
  expect(text).not.toMatch(/https?:\/\/|@import/);
  const [script = '', ...others] = [...text.matchAll(/ src="([^"]+)"/g)].map(([, address = '']) => address);
  expect([others, (await request(app).get(script)).status]).toEqual([[], 200]);
  expect(text).toContain('curl -X POST &quot;$BASE_URL/api/v1/agent/notes/n1&quot;');
});

test('every link of the page leads somewhere', async () => {
  const { text } = await request(app).get('/docs');
  const anchors = new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
  const links = [...text.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
  expect(links.length).toBeGreaterThan(5);
  expect(links.filter((id) => !anchors.has(id))).toEqual([]);
});

test('the command line of the admin area uses a session, which everyone can have', async () => {
  const { text } = await request(testApp([failing(() => undefined, 'admin')]).app).get('/docs');
  expect(text).toContain('-b cookies.txt -H &quot;Sec-Fetch-Site: same-origin&quot;');
  expect(text).not.toContain('OWNER_TOKEN');
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
  const { text } = await request(testApp([question]).app).get('/docs');
  const [, operation = '', schemas = ''] = /<section id="hostile">(.*)<h2 id="schemas">(.*)/s.exec(text) ?? [];
  expect(operation).toContain('<code>sort</code> <b>required</b></td><td>string or null</td><td>one of up, down</td>');
  expect(operation).toContain('Answered with <code>value</code>.');
  expect(operation).toContain('<a href="#schema-Answer">Answer</a>');
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
  expect(begin.match(/href="#\w+"/g)).toEqual(
    ['quickSetup', 'submitDecision', 'readDecisionState', 'readDecisionReceipt', 'queryWisdom'].map(
      (id) => `href="#${id}"`,
    ),
  );
});

test('each refusal of an operation is described in words, those of most operations once', async () => {
  const { text } = await request(testApp(endpointsOf({} as Ports)).app).get('/docs');
  const [, submit = ''] = /<section id="submitDecision">(.*?)<\/section>/s.exec(text) ?? [];
  expect(submit).toMatch(/#error-DUPLICATE_SUBMISSION"><code>DUPLICATE_SUBMISSION<\/code><\/a>: [^<]{20,}/);
  expect(submit).not.toContain('#error-INTERNAL_ERROR');
  expect(submit).toContain('And as most operations: ');
});

test('a form has a field for each parameter and the body; operators have none', async () => {
  const { text } = await request(app).get('/docs');
  const [form = ''] = /<form class="try".*?<\/form>/s.exec(text) ?? [];
  expect(form).toContain('data-method="POST" data-path="/api/v1/agent/notes/{note_id}"');
  const places = [...form.matchAll(/data-in="(\w+)"/g)].map(([, place]) => place);
  expect(places).toEqual(['path', 'query', 'query', 'header', 'body']);
  const served = (await request(testApp(endpointsOf({} as Ports)).app).get('/docs')).text;
  expect(served).not.toContain('data-path="/api/v1/admin');
});

test('the texts of an endpoint are escaped, never used as markup', async () => {
  const hostile = endpoint({ ...FIELDS, summary: '<img onerror=x>', handle: () => ({ status: 204 }) });
  const { text } = await request(testApp([hostile]).app).get('/docs');
  expect(text).toContain('&lt;img onerror=x&gt;');
  expect(text).not.toContain('<img');
});

test('a template escapes its parts and keeps markup', () => {
  expect(html`<p>${'"&\''}${html`<b>${1}</b>`}${null}${['<', false]}</p>`.text).toBe(
    '<p>&quot;&amp;&#39;<b>1</b>&lt;</p>',
  );
});

test('backticks mark code, and their content is escaped', () => {
  expect(prose('send `<a>` or `b`').text).toBe('send <code>&lt;a&gt;</code> or <code>b</code>');
});

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
