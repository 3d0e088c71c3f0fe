import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { sessionTooOld } from '../../application/accounts/sign-in/recent-login.ts';
import {
  ALL_PARTS,
  type OptionalPart,
  PROBLEMS,
  Problem,
  type ProblemCode,
  suggestionWith,
} from '../../domain/problem.ts';
import { MINUTE } from '../../domain/time.ts';
import { COMMANDS } from '../../infrastructure/commands/run-command.ts';
import { configurationDocument } from '../../infrastructure/config/document.ts';
import { anAgentAt } from '../harness/callers.ts';
import { openService, type TestService } from '../harness/service.ts';

const AT = new Date('2017-06-05T12:20:00.000Z');
const ROOT = join(import.meta.dirname, '..', '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** Sources whose texts callers and operators read; the scripts of the page are checked in a browser. */
const SOURCES = globSync('{domain,application,adapters,infrastructure}/**/*.ts', { cwd: ROOT }).filter(
  (path) => !path.includes('/page/browser/'),
);

/** The texts of a source, without its comments and without what is computed. */
function textsOf(path: string): readonly string[] {
  const code = read(path).replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  const literals = [...code.matchAll(/'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`|"((?:[^"\\\n]|\\.)*)"/g)];
  return literals.map(([, single, template, double]) => {
    return single ?? double ?? template?.replaceAll(/\$\{[^}]*\}/g, '...') ?? '';
  });
}

const TEXTS = SOURCES.flatMap((path) => textsOf(path).map((text) => [text, path] as const));

/** What matches in the texts of all sources, each with its place. */
function namedBy(pattern: RegExp): readonly (readonly [name: string, path: string])[] {
  return TEXTS.flatMap(([text, path]) => [...text.matchAll(pattern)].map(([, name = '']) => [name, path] as const));
}

/** What a reader replaces, and the variables of the clients. */
const PLACEHOLDERS = ['RECORD_ID', 'API_KEY', 'STANCEBOOK_URL', 'STANCEBOOK_API_KEY', 'STANCEBOOK_OWNER_TOKEN'];

/** Names of the code, which a template within a template shows. */
function constants(): readonly string[] {
  return SOURCES.flatMap((path) =>
    [...read(path).matchAll(/\bconst ([A-Z][A-Z0-9_]*)\b/g)].map(([, name = '']) => name),
  );
}

describe('what texts name is there', () => {
  let service: TestService;
  let served: ReadonlySet<string>;
  beforeAll(async () => {
    const snapshots = { DATA_SNAPSHOTS: 'monthly', DATA_SNAPSHOTS_LICENCE: 'CC-BY-4.0' };
    service = await openService('memory', { at: AT, env: snapshots });
    const { paths } = (await request(service.app).get('/openapi.json')).body as { paths: Record<string, object> };
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    served = new Set(operations);
  });
  afterAll(() => service.close());

  test('each method with a path is served', async () => {
    const named = namedBy(/\b((?:GET|POST|PUT|PATCH|DELETE) \/(?:[\w{}.-]+\/?)*)/g);
    const plain = named.map(([name, path]) => [name.replace(/\.$/, ''), path] as const);
    const missing: string[] = [];
    for (const [name, path] of plain) {
      if (served.has(name)) continue;
      const page = /^GET (\/.*)$/.exec(name)?.[1];
      const { body } = await request(service.app).get(page ?? '/nowhere');
      const isServed = page !== undefined && body.error?.message !== 'This path is not served.';
      if (!isServed) missing.push(`${name} in ${path}`);
    }
    expect(missing).toEqual([]);
    expect(named.length).toBeGreaterThan(50);
  });

  test('each command is there', () => {
    const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: Readonly<Record<string, string>> };
    const ofNpm = namedBy(/npm run (?:--silent )?([a-z][\w-]*)/g).filter(([name]) => !(name in scripts));
    expect(ofNpm).toEqual([]);
    const lists = namedBy(/npm run (?:--silent )?admin -- ([a-z][\w-]*(?:, [a-z]+-[\w-]+)*)/g);
    const ofAdmin = lists.flatMap(([names, path]) => names.split(', ').map((name) => [name, path] as const));
    expect(ofAdmin.filter(([name]) => name !== 'help' && !Object.hasOwn(COMMANDS, name))).toEqual([]);
    expect(ofAdmin.length).toBeGreaterThan(10);
  });

  test('each variable is one that the service reads', () => {
    const manual = configurationDocument();
    const codes = new Set([...TEXTS.map(([text]) => text), ...PLACEHOLDERS, ...constants()]);
    const words = namedBy(/(?<=^|[\s(`'])((?:[A-Z][A-Z0-9]*_)+[A-Z0-9]+)\b/g).filter(([name]) => !(name in PROBLEMS));
    const unknown = words.filter(([name]) => !codes.has(name) && !manual.includes(name));
    expect(unknown).toEqual([]);
    expect(words.length).toBeGreaterThan(50);
  });
});

/** Texts that name a part which an operator may leave out. */
const NAMING: Readonly<Record<OptionalPart, RegExp>> = {
  mail: /password-reset|email\/confirmation|(^|[^-])\bmails?\b(?! is set up)/i,
  provider: /auth\/idp|(?<!no )identity provider|Authorization: Bearer/,
};

/** Refusals of a part itself: where it is missing, its endpoints answer that it is not set up. */
const OF_THE_PART: readonly ProblemCode[] = ['OAUTH_CALLBACK_ERROR', 'OAUTH_NOT_CONFIGURED', 'MAIL_NOT_CONFIGURED'];

test.each(Object.keys(PROBLEMS) as ProblemCode[])('%s names no part that is missing', (code) => {
  if (OF_THE_PART.includes(code)) return;
  for (const part of ALL_PARTS) {
    const others = new Set([...ALL_PARTS].filter((each) => each !== part));
    expect([part, suggestionWith(new Problem(code, ''), others)]).toEqual([
      part,
      expect.not.stringMatching(NAMING[part]),
    ]);
  }
  expect(suggestionWith(new Problem(code, ''), ALL_PARTS)).toBe(PROBLEMS[code].suggestion);
});

describe('a service without mail and identity provider', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await openService('memory', { at: AT });
  });
  afterAll(() => service.close());

  test.each<[string, (key: string) => Record<string, string>]>([
    ['none', () => ({})],
    ['an unknown key', () => ({ 'x-api-key': 'sbk_nonsense' })],
    ['a key', (key) => ({ 'x-api-key': key })],
    ['a bearer that is no token', () => ({ authorization: 'Bearer not.a.token' })],
    ['a key as a bearer', (key) => ({ authorization: `Bearer ${key}` })],
    ['an unknown session', () => ({ cookie: 'sid=nothing', 'sec-fetch-site': 'same-origin' })],
  ])('names neither in the refusal of a credential, wherever it is sent: %s', async (_, headersWith) => {
    const { paths } = (await request(service.app).get('/openapi.json')).body as { paths: Record<string, object> };
    const { api_key } = await anAgentAt(service);
    const headers = headersWith(api_key);
    let refusals = 0;
    for (const [path, methods] of Object.entries(paths)) {
      for (const method of Object.keys(methods) as ('get' | 'post')[]) {
        const { status, body } = await request(service.app)
          [method](path.replaceAll(/\{\w+\}/g, 'x'))
          .set(headers);
        if (status !== 401 && status !== 403) continue;
        refusals += 1;
        const { suggestion } = body.error;
        const seen = [method, path, suggestion];
        expect(seen).toEqual([method, path, expect.not.stringMatching(NAMING.provider)]);
        expect(suggestion).not.toMatch(NAMING.mail);
      }
    }
    expect(refusals).toBeGreaterThan(50);
  });

  test('an invalid link and an old session are answered with what can be done here', async () => {
    const link = await request(service.app)
      .post('/api/v1/public/auth/password-reset/confirm')
      .send({ token: 'x'.repeat(43), new_password: 'four plain words, spaced' });
    expect([link.body.error.code, link.body.error.suggestion]).toEqual([
      'LINK_INVALID',
      'Ask the operator for another link; no mail is set up here.',
    ]);
    const tooOld = suggestionWith(sessionTooOld(MINUTE), new Set());
    expect(tooOld).toContain('POST /api/v1/owner/auth/reauthenticate');
    expect(tooOld).not.toMatch(NAMING.provider);
  });
});

describe('an API key in the header Authorization', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await openService('memory', { at: AT });
  });
  afterAll(() => service.close());

  test.each(['Bearer sbk_', 'bearer   sbk_', 'ApiKey sbk_', 'sbk_', 'Token token="sbk_'])(
    '%s...: the suggestion says X-API-Key, and the key is in no text',
    async (before) => {
      const { api_key } = await anAgentAt(service);
      const authorization = `${before}${api_key.slice(4)}`;
      for (const path of ['/api/v1/agent/decisions', '/api/v1/public/auth/status', '/mcp']) {
        const asked = path === '/mcp' ? request(service.app).post(path).send({}) : request(service.app).get(path);
        const { status, body, text } = await asked.set({ authorization });
        expect([path, status, body.error.code]).toEqual([path, 401, 'UNAUTHORIZED']);
        expect(body.error.message).toBe('An API key was sent in the header Authorization, where it is not read.');
        expect(body.error.suggestion).toContain('X-API-Key');
        expect(text).not.toContain(api_key.slice(4));
      }
      const { body } = await request(service.app).get('/api/v1/owner/dashboard').set({ authorization });
      expect(body.error.suggestion).toBe('Send the session cookie of a login, and no other credential.');
    },
  );
});
