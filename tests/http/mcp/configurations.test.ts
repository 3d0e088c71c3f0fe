import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { validate } from 'skills-ref';
import { agentGuide } from '../../../adapters/http/guide/agent-guide.ts';
import { skillText } from '../../../adapters/http/guide/skill-text.ts';
import { TOOLS } from '../../../adapters/http/mcp/tools.ts';
import { endpointsOf } from '../../../adapters/http/routes/endpoints.ts';
import type { Ports } from '../../../application/ports.ts';
import { CONTRACT_LIMITS } from '../../../domain/limits.ts';
import { VERSION } from '../../../infrastructure/version.ts';
import { compiledModules } from '../../../scripts/child-process.ts';
import { withHardRules } from '../../../scripts/write-plugin-skill.ts';
import { anAgentAt, type TestAgent } from '../../harness/callers.ts';
import { openService, type TestService } from '../../harness/service.ts';
import { type McpStage, openMcpStage } from './stage.ts';

const ROOT = join(import.meta.dirname, '../../..');
const PLUGIN = join(ROOT, 'clients/plugin');
const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const document = textOf('docs/mcp.md');
const examples = [...document.matchAll(/```json\n([\s\S]*?)```/g)].map(([, text = '']) => text);

interface Configured {
  readonly type: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

let service: TestService;
let stage: McpStage;
let agent: TestAgent;
beforeAll(async () => {
  service = await openService('memory', { at: new Date() });
  stage = await openMcpStage(service.app);
  agent = await anAgentAt(service);
});
afterAll(async () => {
  await stage.close();
  await service.close();
});

/** The configuration as a client reads it that knows these variables. */
function configuredIn(text: string): Configured {
  const variables: Readonly<Record<string, string>> = {
    STANCEBOOK_URL: stage.url.origin,
    STANCEBOOK_API_KEY: agent.api_key,
  };
  const expanded = text
    .replace(/\$\{(\w+)(?::-[^}]*)?\}/g, (_, name: string) => variables[name] ?? '')
    .replaceAll('http://127.0.0.1:3000', stage.url.origin);
  return JSON.parse(expanded).mcpServers.stancebook;
}

test.each([
  ['the plugin', textOf('clients/plugin/.mcp.json')],
  ['docs/mcp.md', examples[0] ?? ''],
])('the configuration of %s connects', async (_, text) => {
  const { type, url, headers } = configuredIn(text);
  expect([type, url]).toEqual(['http', stage.url.href]);
  const client = await stage.connect(headers);
  expect((await client.listTools()).tools).toHaveLength(TOOLS.length);
});

test('the configuration of docs/mcp.md for clients that start a program connects, in both eras', async () => {
  const { command, args = [], env = {} } = configuredIn(examples[1] ?? '');
  expect([command, args]).toEqual(['stancebook', ['mcp']]);
  const program = join(ROOT, 'clients/typescript/cli.ts');
  for (const mode of ['legacy', 'auto'] as const) {
    const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
    const own = { NODE_COMPILE_CACHE: compiledModules(), ...env };
    const options = { command: process.execPath, args: [program, ...args], env: own, stderr: 'ignore' as const };
    await client.connect(new StdioClientTransport(options));
    expect((await client.listTools()).tools).toHaveLength(TOOLS.length);
    await client.close();
  }
});

test('the skill of the plugin is valid, and names every tool and no other', async () => {
  expect(await validate(join(PLUGIN, 'skills/stancebook'))).toEqual([]);
  const skill = textOf('clients/plugin/skills/stancebook/SKILL.md');
  const named = [...skill.matchAll(/`((?:submit|add|get|list|find|query|state)_\w+|recall|backtest)`/g)].map(
    ([, name]) => name,
  );
  const names = TOOLS.map(({ name }) => name);
  expect([...new Set(named)].filter((name) => !names.includes(name ?? ''))).toEqual([]);
  expect(names.filter((name) => !named.includes(name))).toEqual(['get_decisions']);
});

test('the skill of the plugin has the hard rules of the guide: npm run write-plugin-skill renews them', () => {
  const skill = textOf('clients/plugin/skills/stancebook/SKILL.md');
  expect(withHardRules(skill)).toBe(skill);
  const guide = skillText(agentGuide(endpointsOf({} as Ports), CONTRACT_LIMITS, true), '');
  expect(withHardRules(guide)).toBe(guide);
  const stale = skill.replace('not of writing', 'or of writing');
  expect(stale).not.toBe(skill);
  expect(withHardRules(stale)).toBe(skill);
  expect(() => withHardRules('# A skill\n')).toThrow('no section');
});

test('the plugin has the version of the service', () => {
  const plugin = JSON.parse(textOf('clients/plugin/.claude-plugin/plugin.json'));
  expect(plugin.version).toBe(VERSION);
});

test('the request by hand is answered', async () => {
  const [, body = ''] = /-d '(\{.*\})'/.exec(document) ?? [];
  const headers = Object.fromEntries(
    [...document.matchAll(/-H ["']([\w-]+): ([^"']+)["']/g)].map(([, name, value]) => [name, value]),
  );
  const sent = { ...headers, 'X-API-Key': agent.api_key } as Record<string, string>;
  const reply = await fetch(stage.url, { method: 'POST', headers: sent, body });
  expect([reply.status, await reply.text()]).toEqual([200, expect.stringContaining('"can_submit":true')]);
});
