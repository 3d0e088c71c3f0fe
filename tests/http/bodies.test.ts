import { describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { z } from 'zod';
import { endpoint } from '../../adapters/http/kit/endpoint.ts';
import { createHttpServer } from '../../adapters/http/kit/server.ts';
import { testApp } from './app.ts';
import { writeNote } from './example.ts';

const importText = endpoint({
  id: 'importText',
  method: 'POST',
  path: '/api/v1/owner/texts/import',
  summary: 'Import a text',
  description: 'Takes YAML.',
  tag: 'Texts',
  auth: 'none',
  body: { schema: z.string(), example: 'a: 1\n', contentType: 'application/yaml', limit: 64 },
  replies: {
    200: { description: 'The text', schema: z.string(), example: 'a: 1\n', contentType: 'application/yaml' },
    201: { description: 'The bytes', schema: z.instanceof(Uint8Array), contentType: 'application/zip' },
  },
  problems: [],
  handle: ({ body }) =>
    body.startsWith('zip')
      ? {
          status: 201,
          body: new Uint8Array([80, 75]),
          headers: { 'cache-control': 'public', 'set-cookie': ['a=1', 'b=2'] },
        }
      : { status: 200, body },
});

const { app } = testApp([writeNote, importText]);
const JSON_TYPE = { 'content-type': 'application/json', 'x-api-key': 'agent-key' };

describe('a body of JSON', () => {
  const cases: [string, string, Record<string, string>, number, string][] = [
    ['that is empty', '', {}, 400, 'MALFORMED_BODY'],
    ['that breaks', '{"text":', {}, 400, 'MALFORMED_BODY'],
    ['of another type', '{}', { 'content-type': 'text/plain' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['of a longer type', '{}', { 'content-type': 'application/jsonp' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['in another charset', '{}', { 'content-type': 'application/json; charset=latin1' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['that is packed', '{}', { 'content-encoding': 'gzip' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['that is too large', ' '.repeat(2_049), {}, 413, 'PAYLOAD_TOO_LARGE'],
  ];
  test.each(cases)('%s is refused', async (_, body, headers, status, code) => {
    const reply = await request(app)
      .post('/api/v1/agent/notes/n1')
      .set({ ...JSON_TYPE, ...headers })
      .send(body);
    expect({ status: reply.status, code: reply.body.error.code }).toEqual({ status, code });
  });

  test.each([
    ['latin1', 'latin1'],
    ['"utf-16"', 'utf-16'],
    ['us-ascii', 'us-ascii'],
    ['utf-9', 'utf-9'],
  ])('in the charset %s is refused, and the refusal names it', async (charset, named) => {
    const type = `application/json; v=1; charset=${charset}`;
    const reply = await request(app)
      .post('/api/v1/agent/notes/n1')
      .set({ ...JSON_TYPE, 'content-type': type })
      .send('{}');
    expect(reply.body.error).toMatchObject({
      code: 'UNSUPPORTED_MEDIA_TYPE',
      message: `The body must be in UTF-8, not in the charset ${named}.`,
      suggestion: 'Send the body in UTF-8, with the header Content-Type: application/json; charset=utf-8.',
    });
  });

  test('that is not UTF-8 is refused', async () => {
    const reply = await request(app)
      .post('/api/v1/agent/notes/n1')
      .set(JSON_TYPE)
      .serialize((bytes) => bytes)
      .send(Buffer.from([0x7b, 0xff, 0x7d]));
    expect(reply.body.error).toMatchObject({
      code: 'MALFORMED_BODY',
      message: 'The body is not valid UTF-8.',
      suggestion: 'Send the body in UTF-8.',
    });
  });

  test('that is too large is refused when it comes in chunks without a length', async () => {
    const server = createHttpServer(app);
    const { port } = await server.listen(0, '127.0.0.1');
    const chunks = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let i = 0; i < 3; i += 1) controller.enqueue(new Uint8Array(1_000).fill(32));
        controller.close();
      },
    });
    const reply = await fetch(`http://127.0.0.1:${port}/api/v1/agent/notes/n1`, {
      method: 'POST',
      headers: JSON_TYPE,
      body: chunks,
      duplex: 'half',
    } as RequestInit);
    expect(reply.status).toBe(413);
    await reply.text();
    await server.close(1_000);
  });
});

describe('other types', () => {
  const post = (text: string) =>
    request(app).post('/api/v1/owner/texts/import').set('content-type', 'application/yaml').send(text);

  test('YAML is read and returned as text', async () => {
    const reply = await post('a: 1\n')
      .buffer()
      .parse((response, done) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => done(null, text));
      });
    expect(reply.headers['content-type']).toBe('application/yaml');
    expect(reply.body).toBe('a: 1\n');
  });

  test('bytes are sent unchanged, and headers of the reply replace the common ones', async () => {
    const reply = await post('zip');
    expect(reply.headers).toMatchObject({
      'content-type': 'application/zip',
      'content-length': '2',
      'cache-control': 'public',
    });
    expect(reply.headers['set-cookie']).toEqual(['a=1', 'b=2']);
  });
});
