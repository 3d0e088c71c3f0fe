import { checkEvidence } from '../../application/grading/check-evidence.ts';
import { check as checkCohorts } from './check-cohorts.ts';
import { type Command, type CommandContext, UsageError } from './command.ts';

/** Holds all that was kept against the commitments, digests and hashes that it is kept under, and counts against records. */
export const checkEvidenceCommand: Command = {
  usage: '[--without-cohorts]',
  summary: 'hold all evidence against its commitments and digests, and the counts of cohorts against the records',
  read(args) {
    const [asked, ...others] = args;
    if (others.length > 0 || (asked !== undefined && asked !== '--without-cohorts')) {
      throw new UsageError('This command takes --without-cohorts or nothing.');
    }
    return async (context) => {
      const intact = await checkAll(context);
      const counted = asked === undefined ? await checkCohorts(context) : 0;
      return intact && counted === 0 ? 0 : 1;
    };
  },
};

async function checkAll({ storage, print }: CommandContext): Promise<boolean> {
  const { records, outcomes, bars, snapshots, faults } = await checkEvidence(storage, print);
  print(`${records} statements, ${outcomes} outcomes, ${bars} stretches of bars, ${snapshots} workflow snapshots`);
  print(faults === 0 ? 'All evidence is what it was sealed as.' : `${faults} faults.`);
  return faults === 0;
}
