import { loginOf } from './accounts.ts';
import type { Cast } from './agents.ts';

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
