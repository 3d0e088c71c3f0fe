#!/usr/bin/env node
import { endQuietly } from './cli/quiet-end.ts';
import { runCli } from './cli/run.ts';

endQuietly(process.argv[2]);
process.exitCode = await runCli(process.argv.slice(2));
