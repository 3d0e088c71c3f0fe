import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { validate } from 'skills-ref';
import request from 'supertest';
import { agentGuide } from '../../adapters/http/guide/agent-guide.ts';
import { llmsText } from '../../adapters/http/guide/guide-pages.ts';
import { skillText } from '../../adapters/http/guide/skill-text.ts';
import { endpointsOf } from '../../adapters/http/routes/endpoints.ts';
import { registration } from '../../adapters/http/shapes/accounts/accounts.ts';
import { cohortQuery } from '../../adapters/http/shapes/cohorts/cohort-query.ts';
import { submission } from '../../adapters/http/shapes/decisions/submission.ts';
import type { Ports } from '../../application/ports.ts';
import { CONTRACT_LIMITS, type Limits } from '../../domain/limits.ts';
import { PROBLEMS } from '../../domain/problem.ts';
import { openService, type TestService } from '../harness/service.ts';

/** No handler runs here, so that no port is called. */
const endpoints = endpointsOf({} as Ports);
const guideOf = (served = endpoints, limits: Limits = CONTRACT_LIMITS) =>
  llmsText(agentGuide(served, limits, true), '');
const guide = guideOf();

describe('the content of the guide', () => {
  test('the loop is the contract: four requests in their order, each as interface.md has it', () => {
    const heads = [...guide.matchAll(/```http\n(\S+) ([^?\n]+)/g)].map(([, method, path]) => `${method} ${path}`);
    expect(heads).toEqual([
      'POST /api/v1/public/auth/quick-setup',
      'POST /api/v1/agent/decisions',
      'GET /api/v1/agent/decisions/{record_id}/state',
      'GET /api/v1/agent/wisdom',
    ]);
    expect(guide.match(/^X-API-Key: \{api_key\}$/gm)).toHaveLength(3);
  });

  const shapes = { registration, submission, cohortQuery };
  test.each(Object.entries(shapes))('every member of %s, and which of them are required', (_, { shape }) => {
    for (const [name, schema] of Object.entries(shape)) {
      const line = new RegExp(`^- \`${name}\` \\((query, )?required\\b`, 'm');
      expect(guide).toMatch(new RegExp(`^- \`${name}\` \\(`, 'm'));
      if (!schema.safeParse(undefined).success) expect(guide).toMatch(line);
    }
  });

  test('each limit as it is configured', () => {
    const odd = Object.keys(CONTRACT_LIMITS).map((name, index) => [name, 7_001 + index]);
    const text = guideOf(endpoints, Object.fromEntries(odd) as unknown as Limits);
    for (const [, value] of odd) expect(text).toContain(` ${value}`);
    expect(guideOf(endpoints, { ...CONTRACT_LIMITS, cooldownSeconds: 0 })).toContain('direction at once');
  });

  test('the guide documents every endpoint for keys or without authentication, except those of people and auditors, and twins', () => {
    const open = endpoints.filter(({ auth }) => auth === 'none' || auth === 'optional' || auth.includes('api_key'));
    const documented = open.filter(({ method, path }) => guide.includes(`${method} ${path}`));
    const undocumented = open.filter((each) => !documented.includes(each)).map(({ id }) => id);
    expect(undocumented).toEqual([
      ...['registerOwner', 'logIn', 'beginPasskeyLogin', 'logInByPasskey'],
      ...['startProviderLogin', 'finishProviderLogin', 'endProviderSessions'],
      ...['requestPasswordReset', 'confirmPasswordReset', 'confirmEmail'],
      ...[
        'readPublicDecision',
        'readPublicDecisionState',
        'readPublicDecisionGraph',
        'readDecisionProof',
        'findLoggedRecord',
      ],
      ...['readSecurity', 'listNames', 'countPublicCohort', 'exportSnapshot', 'listNodes', 'readNode'],
    ]);
    expect(guide).not.toMatch(/\/api\/v1\/(owner|admin)\//);
  });

  test('the guide follows a changed path, and cannot be written when an endpoint of the loop is missing', () => {
    const moved = endpoints.map((each) => (each.id === 'queryWisdom' ? { ...each, path: '/api/v2/wisdom' } : each));
    expect(guideOf(moved)).toContain('GET /api/v2/wisdom?market=stock');
    expect(() => guideOf(endpoints.filter(({ id }) => id !== 'quickSetup'))).toThrow('quickSetup');
  });
});

describe('the form of /llms.txt', () => {
  test('a title, a summary, text without headings, then sections of nothing but links', () => {
    const [head = '', ...sections] = guide.split(/^## .*\n/m);
    expect(head).toMatch(/^# [^\n]+\n\n> [^\n]+\n/);
    expect(head.match(/^#+ /gm)).toHaveLength(1);
    expect(sections.length).toBeGreaterThan(1);
    for (const section of sections) expect(section.trim()).toMatch(/^(- \[[^\]]+\]\([^)]+\)(: [^\n]+)?(\n|$))+$/);
  });

  test('short enough to be read whole', () => {
    expect(Buffer.byteLength(guide)).toBeLessThan(18_500);
  });
});

describe('the content of the skill', () => {
  const skill = skillText(agentGuide(endpoints, CONTRACT_LIMITS, true), 'https://book.example');

  test('names only requests that are served, and cannot be written when one is missing', () => {
    const named = [...skill.matchAll(/`(GET|POST) (\/[^`]+)`/g)].map(([, method, path]) => `${method} ${path}`);
    const served = endpoints.map(({ method, path }) => `${method} ${path}`);
    expect(named.length).toBeGreaterThan(6);
    expect(served).toEqual(expect.arrayContaining(named));
    const fewer = endpoints.filter(({ id }) => id !== 'browseWorkflows');
    expect(() => skillText(agentGuide(fewer, CONTRACT_LIMITS, true), '')).toThrow('browseWorkflows');
  });

  test('says that the list of workflows needs a key, as its endpoint does', () => {
    const { auth } = endpoints.find(({ id }) => id === 'browseWorkflows') ?? {};
    expect(auth).toContain('api_key');
    expect(skill).toMatch(/`GET \/api\/v1\/public\/workflows` lists workflows, and needs a key/);
  });

  test('says for each category of refusals what to do', () => {
    const categories = new Set(Object.values(PROBLEMS).map(({ category }) => category));
    const rows = [...skill.matchAll(/^\| `(\w+)` \| .{20,} \|$/gm)].map(([, category]) => category);
    expect(rows.toSorted()).toEqual([...categories].toSorted());
  });

  test('is shorter than half of the guide, which it refers to', () => {
    expect(Buffer.byteLength(skill)).toBeLessThan(Buffer.byteLength(guide) / 2);
    expect(skill).toContain('(https://book.example/llms.txt)');
  });
});

describe('as they are served', () => {
  let service: TestService;
  let folder: string;
  beforeAll(async () => {
    const env = { PUBLIC_URL: 'https://book.example', ALLOWED_HOSTS: '127.0.0.1', LIMIT_COOLDOWN_SECONDS: '17' };
    service = await openService('memory', { at: new Date('2026-03-02T12:00:00Z'), env });
    folder = await mkdtemp(join(tmpdir(), 'stancebook-guide-'));
  });
  afterAll(async () => {
    await service.close();
    await rm(folder, { recursive: true, force: true });
  });

  test.each([
    ['/llms.txt', 'text/plain; charset=utf-8'],
    ['/skill.md', 'text/markdown; charset=utf-8'],
  ])('%s has the configured address and limits, and may be cached for a while', async (path, type) => {
    const { status, headers, text } = await request(service.app).get(path);
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([200, type, 'public, max-age=300']);
    expect(text).toContain('All paths start at https://book.example.');
    expect(text).toContain('(https://book.example/openapi.json)');
    expect(text).toContain('after 17 seconds');
    const again = await request(service.app).get(path).set('if-none-match', String(headers.etag));
    expect([again.status, again.text, again.headers.etag]).toEqual([304, '', headers.etag]);
    const other = await request(service.app).get(path).set('if-none-match', '"other"');
    expect(other.status).toBe(200);
  });

  test('without PUBLIC_URL the address is that of the request', () => {
    expect(guide).toContain('start at the address that this text was read from');
    expect(guide).toContain('](/openapi.json)');
  });

  test('/skill.md is a valid skill', async () => {
    const { text } = await request(service.app).get('/skill.md');
    await mkdir(join(folder, 'stancebook'));
    await writeFile(join(folder, 'stancebook', 'SKILL.md'), text);
    expect(await validate(join(folder, 'stancebook'))).toEqual([]);
  });
});
