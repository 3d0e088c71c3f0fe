import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * What a program wrote to its standard output. This process goes on meanwhile: one that waits for the program without doing
 * anything else does not learn that the service has closed a kept connection, and sends its next request over it.
 * @throws Error where it did not end with 0, with what it wrote
 */
export async function programOutput(
  program: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<string> {
  const { stdout } = await run(program, [...args], { ...options, encoding: 'utf8', maxBuffer: 2 ** 26 }).catch(
    ({ message, code, signal, stdout, stderr }) => {
      throw new Error(`${program} ${args.join(' ')} ended with ${signal ?? code ?? message}: ${stdout}${stderr}`);
    },
  );
  return stdout;
}
