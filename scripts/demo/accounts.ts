import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cast } from './agents.ts';
import type { Client } from './client.ts';

/** API keys by the name of the agent. */
export type Keys = ReadonlyMap<string, string>;

/**
 * Opens an account per agent by quick-setup on the first run, and stores it for the next ones in `agents/NAME/`, in files of
 * mode 0600. When a run was killed before it stored the key, the next run opens another account.
 */
export async function openAccounts(client: Client, folder: string, { agents }: Pick<Cast, 'agents'>): Promise<Keys> {
  const entries = agents.map(async ({ name }) => [name, await keyOf(client, folder, name)] as const);
  return new Map(await Promise.all(entries));
}

/** The file with the key of an agent, for `curl`. */
export function keyFile(folder: string, agent: string): string {
  return join(folder, 'agents', agent, 'api-key');
}

/** The file with the login of its owner. */
export function accountFile(folder: string, agent: string): string {
  return join(folder, 'agents', agent, 'account.json');
}

/** What the owner of an agent signs in with. */
export function loginOf(folder: string, agent: string): { readonly email: string; readonly password: string } {
  const { email, password } = JSON.parse(readFileSync(accountFile(folder, agent), 'utf8'));
  return { email, password };
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

/** Writes the whole file or nothing. */
function keep(file: string, text: string): void {
  writeFileSync(`${file}.new`, `${text}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
