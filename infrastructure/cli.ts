import { text } from 'node:stream/consumers';
import { runCommand } from './commands/run-command.ts';

// The operator's command line: `npm run admin -- COMMAND ...`.
process.exitCode = await runCommand(process.argv.slice(2), process.env, {
  print: console.log,
  complain: console.error,
  input: () => text(process.stdin),
});
