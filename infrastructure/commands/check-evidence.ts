import { checkEvidence } from '../../application/grading/check-evidence.ts';
import { compareCohorts } from './check-cohorts.ts';
import { type Command, UsageError } from './command.ts';

/** Compares all evidence with the commitments and digests that it was stored with, and the counts with the decisions. */
export const checkEvidenceCommand: Command = {
  usage: '[--without-cohorts]',
  summary: 'compare all evidence with its commitments and digests, and the counts of cohorts with the decisions',
  json:
    '{ records, outcomes, bars, snapshots: how many were checked, faults: [text], ' +
    'differences: as of check-cohorts, null with --without-cohorts }',
  read(args) {
    const [option, ...others] = args;
    if (others.length > 0 || (option !== undefined && option !== '--without-cohorts')) {
      throw new UsageError('This command takes --without-cohorts or nothing.');
    }
    return async (context) => {
      const { storage, print, report } = context;
      const faults: string[] = [];
      const { records, outcomes, bars, snapshots } = await checkEvidence(storage, (fault) => {
        faults.push(fault);
        print(fault);
      });
      print(`${records} statements, ${outcomes} outcomes, ${bars} stretches of bars, ${snapshots} workflow snapshots`);
      print(faults.length === 0 ? 'All evidence matches its commitments and digests.' : `${faults.length} faults.`);
      const differences = option === undefined ? await compareCohorts(context) : null;
      report({ records, outcomes, bars, snapshots, faults, differences });
      return faults.length === 0 && (differences ?? []).length === 0 ? 0 : 1;
    };
  },
};
