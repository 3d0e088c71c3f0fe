import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AGENTS } from './agents.ts';
import type { Client } from './client.ts';

/** API keys by the name of the agent. */
export type Keys = ReadonlyMap<string, string>;

/**
 * An account per agent, opened by quick-setup on the first run and kept for the next ones in `agents/NAME/`, files of
 * mode 0600. An account whose key was not kept when a run was killed is left alone and another one is opened.
 */
export async function openAccounts(client: Client, folder: string): Promise<Keys> {
  const entries = AGENTS.map(async ({ name }) => [name, await keyOf(client, folder, name)] as const);
  return new Map(await Promise.all(entries));
}

/** Where the key of an agent is kept, for `curl` to read it from. */
export function keyFile(folder: string, agent: string): string {
  return join(folder, 'agents', agent, 'api-key');
}

/** How its owner logs in. */
export function accountFile(folder: string, agent: string): string {
  return join(folder, 'agents', agent, 'account.json');
}

async function keyOf(client: Client, folder: string, name: string): Promise<string> {
  const file = keyFile(folder, name);
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  const email = `${name}-${randomBytes(4).toString('hex')}@example.org`;
  const password = randomBytes(18).toString('base64url');
  const { api_key, owner_id, agent_id } = await client.quickSetup({ email, password, agent_name: name });
  mkdirSync(join(folder, 'agents', name), { recursive: true, mode: 0o700 });
  keep(accountFile(folder, name), JSON.stringify({ email, password, owner_id, agent_id }, null, 2));
  keep(file, api_key);
  return api_key;
}

/** Whole or not at all. */
function keep(file: string, text: string): void {
  writeFileSync(`${file}.new`, `${text}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
