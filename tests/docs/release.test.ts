import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import request from 'supertest';
import { parse } from 'yaml';
import { CONTRACT_VERSION } from '../../adapters/http/openapi/openapi-document.ts';
import { VERSION } from '../../infrastructure/version.ts';
import { openService } from '../harness/service.ts';

const read = (file: string) => readFileSync(join(import.meta.dirname, '../..', file), 'utf8');
const versionIn = (file: string): string => JSON.parse(read(file)).version;

test('everything that a release distributes has its version', () => {
  const files = ['clients/typescript/package.json', 'clients/plugin/.claude-plugin/plugin.json', 'server.json'];
  expect(files.map(versionIn)).toEqual(files.map(() => VERSION));
  expect(versionIn('package-lock.json')).toBe(VERSION);
  expect(read('clients/python/stancebook.py')).toContain(`USER_AGENT = "stancebook-python/${VERSION}"`);
  const images = read('docs/operating/kubernetes.yaml').match(/stancebook:\d+\.\d+\.\d+/g) ?? [];
  expect(new Set(images)).toEqual(new Set([`stancebook:${VERSION}`]));
  expect(read('Dockerfile')).toContain(`org.opencontainers.image.version="${VERSION}"`);
});

test('the newest release of CHANGELOG.md is this one, and says what an update asks for', () => {
  const [, newest = ''] = read('CHANGELOG.md').split(/^## (?=\[\d)/m);
  expect(newest).toMatch(new RegExp(`^\\[${VERSION.replaceAll('.', '\\.')}\\] - \\d{4}-\\d\\d-\\d\\d\\n`));
  expect(newest).toContain('### Upgrade notes');
  expect(read('CHANGELOG.md')).toContain(`${CONTRACT_VERSION}, which the`);
});

test('the document has the version of the interface, not that of the release', async () => {
  const service = await openService('memory', { at: new Date() });
  const { body } = await request(service.app).get('/openapi.json');
  await service.close();
  expect([body.info.version, CONTRACT_VERSION === VERSION]).toEqual([CONTRACT_VERSION, false]);
});

test('the templates of issues can be read, and each asks for something', () => {
  for (const name of ['bug', 'wish']) {
    const { description, body } = parse(read(`.github/ISSUE_TEMPLATE/${name}.yaml`));
    const required = body.filter((part: { validations?: { required: boolean } }) => part.validations?.required);
    expect([typeof description, required.length > 1]).toEqual(['string', true]);
  }
});
