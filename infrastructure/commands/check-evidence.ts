import { checkEvidence } from '../../application/grading/check-evidence.ts';
import { type CountDifference, compareCohorts } from './check-cohorts.ts';
import { type Command, type CommandContext, UsageError } from './command.ts';

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
    return async ({ storage, print, report }) => {
      const result = await checkEvidenceOn({ storage, print, withCohorts: option === undefined });
      report({ ...result.report });
      return result.ok ? 0 : 1;
    };
  },
};

export interface EvidenceResult {
  readonly ok: boolean;
  readonly report: {
    readonly records: number;
    readonly outcomes: number;
    readonly bars: number;
    readonly snapshots: number;
    readonly faults: readonly string[];
    /** null: the cohorts were not counted. */
    readonly differences: readonly CountDifference[] | null;
  };
}

/** Prints each fault, and then how much was checked. */
export async function checkEvidenceOn({
  storage,
  print,
  withCohorts,
}: Pick<CommandContext, 'storage' | 'print'> & { readonly withCohorts: boolean }): Promise<EvidenceResult> {
  const faults: string[] = [];
  const { records, outcomes, bars, snapshots } = await checkEvidence(storage, (fault) => {
    faults.push(fault);
    print(fault);
  });
  print(`${records} statements, ${outcomes} outcomes, ${bars} stretches of bars, ${snapshots} workflow snapshots`);
  print(faults.length === 0 ? 'All evidence matches its commitments and digests.' : `${faults.length} faults.`);
  const differences = withCohorts ? await compareCohorts({ storage, print }) : null;
  const ok = faults.length === 0 && (differences ?? []).length === 0;
  return { ok, report: { records, outcomes, bars, snapshots, faults, differences } };
}
