import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, type VersionNegotiationMode } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Tally } from '../stage/tally.ts';
import { decisionOn, openAccount, tradingDays } from './accounts.ts';
import { run } from './programs.ts';

const CLIENTS = join(import.meta.dirname, '../../../clients');
const CLI = ['--disable-warning=ExperimentalWarning', join(CLIENTS, 'typescript/cli.ts')];

/** What a person does with `stancebook`: log in, submit, watch, get the receipt, verify it, export; then a program's MCP. */
export async function walkCommandLine(url: string, folder: string, { holds }: Tally): Promise<void> {
  const { email, password } = await openAccount(url);
  const environment = { XDG_CONFIG_HOME: join(folder, 'config'), STANCEBOOK_URL: url };
  const call = (args: readonly string[], input = '') =>
    run(process.execPath, [...CLI, ...args], { environment, input, folder });

  const login = await call(['login', '--email', email], password);
  const credentials = join(folder, 'config/stancebook/credentials.json');
  const isStored = login.status === 0 && (statSync(credentials).mode & 0o777) === 0o600;
  holds('stancebook login stores a key that only its user can read', isStored, login);
  const { api_key } = JSON.parse(readFileSync(credentials, 'utf8'));

  const [day = ''] = tradingDays(1);
  writeFileSync(join(folder, 'decision.json'), JSON.stringify(decisionOn(day)));
  const submitted = await call(['submit', 'decision.json']);
  const { record_id = '' } = JSON.parse(submitted.stdout || '{}');
  holds('stancebook submit prints the record', record_id.startsWith('dec_'), submitted);
  const watched = await call(['watch', record_id, '--timeout', '90']);
  holds('stancebook watch prints the outcome', watched.stdout.includes('"strong_correct"'), watched);

  const receipt = await call(['receipt', record_id, '--outcome', '--opening', 'full', '--wait']);
  writeFileSync(join(folder, 'grade'), receipt.stdout);
  writeFileSync(join(folder, 'policy'), await (await fetch(`${url}/log/policy`)).text());
  const verified = await call(['verify', 'grade', '--policy', 'policy']);
  holds('stancebook verify proves the receipt of the grade', verified.status === 0, [receipt, verified]);
  writeFileSync(join(folder, 'grade'), receipt.stdout.replace(/^index \d+/m, 'index 0'));
  const forged = await call(['verify', 'grade', '--policy', 'policy']);
  holds('stancebook verify finds a changed receipt', forged.status === 1, forged);

  const exported = await call(['export', '--email', email], password);
  const hasRecord = exported.status === 0 && exported.stdout.includes(record_id);
  holds('stancebook export writes the account', hasRecord, exported.stderr);
  const outputs = [login, submitted, watched, receipt, verified, exported];
  const printed = outputs.map(({ stdout, stderr }) => stdout + stderr).join('');
  holds('no command printed the key or the password', !printed.includes(api_key) && !printed.includes(password));

  for (const mode of MODES) await useMcp(mode, environment, record_id, holds);
  await runExample(url, api_key, folder, holds);
}

const MODES: readonly VersionNegotiationMode[] = ['legacy', 'auto', { pin: '2026-07-28' }];

/** The protocol's own client starts `stancebook mcp`. */
async function useMcp(
  mode: VersionNegotiationMode,
  environment: Readonly<Record<string, string>>,
  record_id: string,
  holds: Tally['holds'],
): Promise<void> {
  const client = new Client({ name: 'campaign', version: '1.0.0' }, { versionNegotiation: { mode } });
  const env = { ...environment, PATH: process.env.PATH ?? '' };
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [...CLI, 'mcp'], env }));
  try {
    const { tools } = await client.listTools();
    const state = await client.callTool({ name: 'get_decision_state', arguments: { record_id } });
    const prompts = await client.listPrompts();
    const isRight = tools.length > 5 && prompts.prompts.length > 0 && JSON.stringify(state).includes('strong_correct');
    holds(`stancebook mcp serves the official client, mode ${JSON.stringify(mode)}`, isRight, state);
  } finally {
    await client.close();
  }
}

async function runExample(url: string, apiKey: string, folder: string, holds: Tally['holds']): Promise<void> {
  const environment = { STANCEBOOK_URL: url, STANCEBOOK_API_KEY: apiKey };
  const program = join(CLIENTS, 'examples/agent.ts');
  const closes = join(CLIENTS, 'examples/recorded/closes.csv');
  const ended = await run(process.execPath, ['--disable-warning=ExperimentalWarning', program, closes], {
    environment,
    folder,
  });
  const isGraded = /Submitted: dec_\S+ bullish\nGraded: strong_correct return \S+ %/.test(ended.stdout);
  holds('the example agent submits and reads its outcome', ended.status === 0 && isGraded, ended);
}
