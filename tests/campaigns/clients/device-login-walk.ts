import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Stancebook } from '../../../clients/typescript/client.ts';
import { decideOnDevice } from '../../harness/identity/tokens.ts';
import type { Tally } from '../stage/tally.ts';
import { decisionOn, tradingDays } from './accounts.ts';
import { type Run, run } from './programs.ts';

const CLIENTS = join(import.meta.dirname, '../../../clients');
const CLI = ['--disable-warning=ExperimentalWarning', join(CLIENTS, 'typescript/cli.ts')];

/** A login without a password: the person confirms a code at the identity provider, and both clients use the key. */
export async function walkDeviceLogin(url: string, python: string, folder: string, tally: Tally): Promise<void> {
  const { holds } = tally;
  const config = join(folder, 'device');
  const environment = { XDG_CONFIG_HOME: config, STANCEBOOK_URL: url };
  const call = (args: readonly string[]) => run(process.execPath, [...CLI, ...args], { environment, folder });

  const login = await logIn({ environment, folder }, 'yes');
  const credentials = join(config, 'stancebook/credentials.json');
  const isStored = login.status === 0 && (statSync(credentials).mode & 0o777) === 0o600;
  holds('stancebook login by the provider stores a key that only its user can read', isStored, login);
  const stored = readFileSync(credentials, 'utf8');
  const { api_key, agent_id } = JSON.parse(stored);
  holds('the login does not print the key', !`${login.stdout}${login.stderr}`.includes(api_key));
  const limits = await new Stancebook({ url, apiKey: api_key }).limits();
  const isBound = limits.credential === 'api_key' && limits.agent_id === agent_id;
  holds('the key is bound to the agent of the login', isBound, limits);

  const [day = ''] = tradingDays(1);
  writeFileSync(join(folder, 'by-provider.json'), JSON.stringify(decisionOn(day)));
  const submitted = await call(['submit', 'by-provider.json']);
  const { record_id = '' } = JSON.parse(submitted.stdout || '{}');
  holds('stancebook submit works after a login by the provider', record_id.startsWith('dec_'), submitted);
  const program = join(CLIENTS, 'python/stancebook.py');
  const shown = await run(python, [program, 'show', record_id], { environment, folder });
  const isSame = shown.status === 0 && JSON.parse(shown.stdout).record_id === record_id;
  holds('stancebook.py reads the record with the same login', isSame, shown);

  const refused = await logIn({ environment, folder }, 'no');
  const isRefused = refused.status === 1 && refused.stderr.includes('ACCESS_DENIED');
  holds('a login that is denied at the provider ends with 1', isRefused, refused);
  holds('a denied login leaves the stored one as it was', readFileSync(credentials, 'utf8') === stored);
}

/** Runs `stancebook login`; its user opens the printed address and answers. */
async function logIn(options: Parameters<typeof run>[2], answer: 'yes' | 'no'): Promise<Run> {
  let decided: Promise<unknown> | undefined;
  const ended = await run(process.execPath, [...CLI, 'login'], {
    ...options,
    onOutput(printed) {
      const [, page] = /^Open (\S+) and compare the code \S+\.$/m.exec(printed) ?? [];
      if (page) decided ??= decideOnDevice('ada', page, answer);
    },
  });
  await decided;
  return ended;
}
