import { text } from 'node:stream/consumers';
import { runCommand } from './commands/run-command.ts';
import { errorCode } from './error-code.ts';

// The operator's command line: `npm run admin -- COMMAND ...`.

// A reader such as `head` may close its end early. The command then runs to its end without output, so that no action
// stops halfway, and its exit code stays what it is.
for (const output of [process.stdout, process.stderr]) {
  output.on('error', (error) => {
    if (errorCode(error) !== 'EPIPE') throw error;
  });
}

// With DATABASE_URL the service may run as another user, who has to read the bars that a command writes.
if (!process.env.DATABASE_URL && !process.env.DATABASE_URL_FILE) process.umask(0o077);

process.exitCode = await runCommand(process.argv.slice(2), process.env, {
  print: console.log,
  complain: console.error,
  input: () => text(process.stdin),
});
