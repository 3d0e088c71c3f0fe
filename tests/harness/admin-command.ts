import { runCommand } from '../../infrastructure/commands/run-command.ts';

/** Runs a command of the operator on a database as the shell would: its exit code, and all that it printed. */
export async function runAdmin(databaseUrl: string, dataDir: string, args: readonly string[]) {
  const secret = 'a secret of the tests, long enough for them';
  const env = { DATABASE_URL: databaseUrl, SESSION_SECRET: secret, PASSWORD_PEPPER: secret, DATA_DIR: dataDir };
  const told: string[] = [];
  const say = (line: string) => void told.push(line);
  const code = await runCommand(args, env, { print: say, complain: say });
  return { code, told: told.join('\n') };
}
