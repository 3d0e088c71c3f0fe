import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { endpointsOf } from '../../adapters/http/routes/endpoints.ts';
import type { Ports } from '../../application/ports.ts';
import { COMMANDS } from '../../infrastructure/commands/run-command.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const DOCUMENTS = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => join('docs', path)),
];

/** No handler runs here, so that no port is called. */
const paths = endpointsOf({} as Ports).map(({ path }) => path);
const served = paths.map((path) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`));
const { scripts } = JSON.parse(read('package.json'));

/** What a document may get wrong in a block of code, or in code within a line. */
const CHECKS = {
  'a script of package.json': (code: string) =>
    found(code, /\bnpm run (?:--silent )?([a-z][\w-]*)/g).filter((name) => scripts[name] === undefined),
  'a command of npm run admin': (code: string) =>
    found(code, /npm run (?:--silent )?admin -- ([a-z][\w-]*)/g).filter(
      (name) => name !== 'help' && COMMANDS[name] === undefined,
    ),
  'a path of the interface': (code: string) =>
    found(code, /(\/api\/v1\/[^\s"'`?#<>|,;)\\]+)/g)
      .map((path) => path.replace(/[.:]$/, ''))
      .filter((path) => !path.endsWith('/..') && !path.endsWith('*') && !path.endsWith('/'))
      .filter((path) => !served.some((pattern) => pattern.test(path) || partOf(path))),
  JSON: (code: string) => (/^```json\n/.test(code) ? faultOf(code.replaceAll(/^```.*$/gm, '')) : []),
  'a file of the repository': (code: string) =>
    found(code, /(?<![\w/.$-])((?:tests|scripts|adapters|infrastructure|clients|docs)\/[\w./-]*\w\.\w+)/g).filter(
      (path) => !path.includes('NNNN') && !existsSync(join(ROOT, path)),
    ),
};

describe.each(Object.entries(CHECKS))('every code names %s that there is', (_, check) => {
  test.each(DOCUMENTS)('%s', (path) => {
    expect(codesOf(read(path)).flatMap(check)).toEqual([]);
  });
});

test.each([
  ['a script of package.json', '`npm run fly`'],
  ['a command of npm run admin', '`npm run admin -- fly`'],
  ['a path of the interface', '`GET /api/v1/agent/fly`'],
  ['JSON', '```json\n{ a: 1 }\n```'],
  ['a file of the repository', '`docs/operating/fly.yaml`'],
] as const)('%s that is not there is found', (name, text) => {
  expect(codesOf(text).flatMap(CHECKS[name])).toHaveLength(1);
});

function codesOf(text: string): readonly string[] {
  const blocks = text.match(/^```[\s\S]*?^```/gm) ?? [];
  const inline = text.replaceAll(/^```[\s\S]*?^```/gm, '').match(/`[^`\n]+`/g) ?? [];
  return [...blocks, ...inline];
}

function found(code: string, pattern: RegExp): readonly string[] {
  return [...code.matchAll(pattern)].map(([, name = '']) => name);
}

/** The beginning of paths, such as `/api/v1/admin`. */
function partOf(path: string): boolean {
  return paths.some((each) => each.startsWith(`${path}/`));
}

function faultOf(json: string): readonly string[] {
  try {
    JSON.parse(json);
    return [];
  } catch (error) {
    return [String(error)];
  }
}
