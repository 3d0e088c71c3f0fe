import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { VERSION } from '../../../infrastructure/version.ts';

const ROOT = join(import.meta.dirname, '../../..');
const server = JSON.parse(readFileSync(join(ROOT, 'server.json'), 'utf8'));

const text = (most: number) => ({ type: 'string', minLength: 1, maxLength: most });
const INPUT = {
  description: text(1_000),
  isRequired: { type: 'boolean' },
  isSecret: { type: 'boolean' },
};

/**
 * The rules of the schema that the file names, as read on 24 November 2026, for the members that the file has; others
 * are unknown here, so that a new one is looked up first.
 */
const RULES = objectOf(
  {
    $schema: { const: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json' },
    name: { type: 'string', minLength: 3, maxLength: 200, pattern: '^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$' },
    title: text(100),
    description: text(100),
    version: { type: 'string', maxLength: 255, pattern: '^\\d+\\.\\d+\\.\\d+$' },
    packages: {
      type: 'array',
      minItems: 1,
      items: objectOf(
        {
          registryType: { enum: ['npm', 'pypi', 'oci', 'nuget', 'mcpb'] },
          identifier: { type: 'string', minLength: 1 },
          version: { type: 'string', minLength: 1, not: { const: 'latest' } },
          runtimeHint: { type: 'string' },
          transport: objectOf({ type: { enum: ['stdio'] } }, ['type']),
          packageArguments: {
            type: 'array',
            items: objectOf({ type: { const: 'positional' }, value: { type: 'string' } }, ['type']),
          },
          environmentVariables: { type: 'array', items: objectOf({ name: { type: 'string' }, ...INPUT }, ['name']) },
        },
        ['registryType', 'identifier', 'transport'],
      ),
    },
    remotes: {
      type: 'array',
      minItems: 1,
      items: objectOf(
        {
          type: { enum: ['streamable-http', 'sse'] },
          url: { type: 'string', pattern: '^https://' },
          variables: { type: 'object', additionalProperties: objectOf(INPUT, []) },
          headers: { type: 'array', items: objectOf({ name: { type: 'string' }, ...INPUT }, ['name']) },
        },
        ['type', 'url'],
      ),
    },
  },
  ['name', 'description', 'version'],
);

function objectOf(properties: object, required: readonly string[]) {
  return { type: 'object', properties, required, additionalProperties: false };
}

const isListable = new Ajv2020().compile(RULES);

test('server.json follows the rules of its schema', () => {
  expect([isListable(server), isListable.errors]).toEqual([true, null]);
});

test.each([
  ['a name without a namespace', { name: 'stancebook' }],
  ['a name with two slashes', { name: 'io.stancebook/stancebook/mcp' }],
  ['a description that is too long', { description: 'x'.repeat(101) }],
  ['a range of versions', { version: '^0.4.0' }],
  ['a member that the schema does not know', { license: 'UNLICENSED' }],
  ['another transport', { remotes: [{ ...server.remotes[0], type: 'http' }] }],
  ['a package of no registry', { packages: [{ ...server.packages[0], registryType: 'apt' }] }],
  ['a package without a transport', { packages: [{ registryType: 'npm', identifier: 'stancebook' }] }],
  ['a header without a name', { remotes: [{ ...server.remotes[0], headers: [{ isSecret: true }] }] }],
])('%s is found', (_, change) => {
  expect(isListable({ ...server, ...change })).toBe(false);
});

test('server.json has the version of the service, its endpoint, its variables and its header', () => {
  expect(server.version).toBe(VERSION);
  const [remote] = server.remotes;
  const filled = (_: string, name: string) => (remote.variables[name] ? 'x' : '');
  expect(remote.url.replace(/\{(\w+)\}/g, filled)).toBe('https://x/mcp');
  expect(remote.headers).toEqual([expect.objectContaining({ name: 'X-API-Key', isSecret: true })]);
});

test('server.json names the package that npm run pack makes, and how it serves the protocol', () => {
  const [npm] = server.packages;
  const { name } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  expect([npm.identifier, npm.version]).toEqual([name, VERSION]);
  expect([npm.transport, npm.packageArguments]).toEqual([{ type: 'stdio' }, [{ type: 'positional', value: 'mcp' }]]);
});
