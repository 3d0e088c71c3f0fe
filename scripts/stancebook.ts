// The whole command line of the package `stancebook`: the verbs of operators, and those of agents. Each loads what it needs.
import { endQuietly } from '../clients/typescript/cli/quiet-end.ts';
import { canOperate, OPERATING } from './stancebook/operating.ts';

const [name = '', ...args] = process.argv.slice(2);
const verb = Object.hasOwn(OPERATING, name) ? OPERATING[name] : undefined;
if (verb && !canOperate(process.versions.node)) {
  console.error(`stancebook ${name} needs Node.js 22.14 or later; this one is ${process.versions.node}.`);
  process.exitCode = 1;
} else if (verb) await verb.run(args);
else {
  const { runCli } = await import('../clients/typescript/cli/run.ts');
  endQuietly(name);
  process.exitCode = await runCli(process.argv.slice(2), OPERATING);
}
