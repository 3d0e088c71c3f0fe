import { runCommand } from '../../infrastructure/commands/run-command.ts';

/** Runs an admin command on a database as a shell would; returns the exit code and everything that it printed. */
export async function runAdmin(databaseUrl: string, dataDir: string, args: readonly string[]) {
  const secret = 'a secret of the tests, long enough for them';
  const env = { DATABASE_URL: databaseUrl, SESSION_SECRET: secret, PASSWORD_PEPPER: secret, DATA_DIR: dataDir };
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  const code = await runCommand(args, env, { print, complain: print });
  return { code, output: lines.join('\n') };
}
