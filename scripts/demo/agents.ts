import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from './client.ts';
import { CHIPS, COIN, type Ground, INDEX, inTwoYears, MINUTES, SHARES } from './markets.ts';
import {
  breakout,
  carry,
  coinFlip,
  hindsight,
  meanReversion,
  neutralRange,
  type Strategy,
  trendFollowing,
} from './strategies.ts';

/** One agent of an owner of its own. */
export interface DemoAgent {
  /** The name of its folder, its keys and its row of the table. */
  readonly name: string;
  readonly about: string;
  readonly strategy: Strategy;
  readonly grounds: readonly [Ground, ...Ground[]];
  readonly decisions: number;
  /** It states a time of its data before prices that it knows: a cheat. */
  readonly cheats?: true;
}

/** The agents of a demo. */
export interface Cast {
  /** Determines what they decide. */
  readonly seed: string;
  readonly agents: readonly [DemoAgent, ...DemoAgent[]];
  /** They have too few owners for the cohorts of the contract. */
  readonly isSmall: boolean;
}

const EVERYWHERE = [SHARES, CHIPS, INDEX, COIN] as const;

export const SMALL_CAST: Cast = {
  seed: 'demo-1',
  isSmall: true,
  agents: [
    agent('trend', 'follows the crossing of two averages', trendFollowing, EVERYWHERE),
    agent('reversion', 'bets against stretched prices', meanReversion, [SHARES, CHIPS, INDEX]),
    agent('breakout', 'goes with a close beyond 20 closes', breakout, EVERYWHERE),
    agent('coin', 'flips a coin', coinFlip, [...EVERYWHERE, MINUTES]),
    agent('range', 'expects calm to stay calm', neutralRange, [SHARES, CHIPS, INDEX, MINUTES]),
    agent('minutes', 'bets against stretched minutes', meanReversion, [MINUTES]),
  ],
};

const TWO_YEARS = [inTwoYears(SHARES), inTwoYears(CHIPS), inTwoYears(INDEX)] as const;

const [FIRST, ...OTHERS] = [
  ...crowd(9, 'trend', 'follows the crossing of two averages', trendFollowing),
  ...crowd(8, 'reversion', 'bets against stretched prices', meanReversion),
  ...crowd(6, 'carry', 'holds while it is calm', carry),
  ...crowd(6, 'coin', 'flips a coin', coinFlip),
  { ...agent('cheat', 'states its data older than they are', hindsight, TWO_YEARS), decisions: 100, cheats: true },
] as const;

/** Thirty owners in two years. */
export const LARGE_CAST: Cast = { seed: 'demo-large-1', isSmall: false, agents: [FIRST as DemoAgent, ...OTHERS] };

function agent(name: string, about: string, strategy: Strategy, grounds: DemoAgent['grounds']): DemoAgent {
  return { name, about, strategy, grounds, decisions: 60 };
}

/** So many agents of one strategy: their looks at the market differ, and so do their decisions. */
function crowd(size: number, name: string, about: string, strategy: Strategy): readonly DemoAgent[] {
  return Array.from({ length: size }, (_, at) => ({
    ...agent(at === 0 ? name : `${name}-${at + 1}`, about, strategy, TWO_YEARS),
    decisions: 100,
  }));
}

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
function loginOf(folder: string, agent: string): { readonly email: string; readonly password: string } {
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

/** What a person can open while the service of the demo runs: the page, and the account of one owner. */
export function invitation(url: string, folder: string, { agents }: Cast): string {
  const agent = agents[0].name;
  const { email, password } = loginOf(folder, agent);
  return [
    `The service runs at ${url} until Ctrl-C.`,
    `  Open      ${url}/`,
    `  Sign in   ${url}/#/sign-in, as the owner of the agent ${agent}:`,
    `  Email     ${email}`,
    `  Password  ${password}`,
  ].join('\n');
}
