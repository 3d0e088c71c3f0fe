// Checks the evidence log with programs that the project did not write, and kills its sequencers:
// `npm run log [-- --short|--long]`. The short form has trees of some hundred leaves, the long form of up to 70,000. See
// docs/testing.md.
import { parseArgs } from 'node:util';
import { makeThrowawayFolder, removeThrowawayFolder } from '../harness/throwaway-folder.ts';
import { checkFormats } from './log/formats.ts';
import { checkImported } from './log/imported-log.ts';
import { preparePrograms } from './log/programs.ts';
import { checkSequencers } from './log/sequencers.ts';
import { checkServed } from './log/served-log.ts';
import { closeOnSignal } from './stage/interruption.ts';
import { openTally } from './stage/tally.ts';

const { values } = parseArgs({
  options: { short: { type: 'boolean', default: false }, long: { type: 'boolean', default: false } },
});
const tally = openTally('Log');
const folder = makeThrowawayFolder('log');
closeOnSignal(async () => removeThrowawayFolder(folder));
try {
  const programs = preparePrograms(folder);
  await checkFormats(folder, programs, tally, values.long);
  await checkServed(programs, tally);
  await checkSequencers(programs, tally, values.long);
  if (values.long) await checkImported(programs, tally);
} finally {
  removeThrowawayFolder(folder);
}
process.exitCode = tally.close() ? 0 : 1;
