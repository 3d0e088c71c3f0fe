import { runCommand } from '../../infrastructure/commands/run-command.ts';

/** Runs an admin command on a database as a shell would; returns the exit code and everything that it printed. */
export async function runAdmin(
  databaseUrl: string,
  dataDir: string,
  args: readonly string[],
  more: NodeJS.ProcessEnv = {},
) {
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  const code = await runCommand(
    args,
    { ...adminEnvironment(databaseUrl, dataDir), ...more },
    { print, complain: print },
  );
  return { code, output: lines.join('\n') };
}

/** The variables of the command line on a database. */
export function adminEnvironment(databaseUrl: string, dataDir: string): Readonly<Record<string, string>> {
  const secret = 'a secret of the tests, long enough for them';
  return { DATABASE_URL: databaseUrl, SESSION_SECRET: secret, PASSWORD_PEPPER: secret, DATA_DIR: dataDir };
}
