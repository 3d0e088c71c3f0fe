import type { Difference } from '../../../application/grading/differences.ts';
import { type Recomputation, recompute, recomputeAll } from '../../../application/grading/recompute.ts';
import { RECORD_ID } from '../../../domain/identifiers.ts';
import { type Command, type CommandContext, type ExitCode, UsageError } from '../command.ts';

/** Computes outcomes again from the evidence stored with them, and compares the two. */
export const recomputeCommand: Command = {
  usage: 'RECORD_ID | --all',
  summary: 'compute an outcome again from its evidence, and show whether it is the same',
  json:
    '{ same, different, damaged, impossible: how many, outcomes: [{ record_id, kind, digest, result_bucket, differences, ' +
    'faults, reason: those of its kind }], with --all only those that are not the same }',
  read(args) {
    const [target, ...others] = args;
    if (target === undefined || others.length > 0) throw new UsageError('Name one record, or --all.');
    if (target === '--all') return recomputeEvery;
    if (!RECORD_ID.test(target))
      throw new UsageError(`${target} is no record id; they look like dec_20260302_5c0ffee5.`);
    return (context) => recomputeOne(context, target);
  },
};

async function recomputeOne({ storage, print, report }: CommandContext, record_id: string): Promise<ExitCode> {
  const result = await recompute(storage, record_id);
  print(resultText(record_id, result));
  report({ ...NONE, [result.kind]: 1, outcomes: [{ record_id, ...result }] });
  return result.kind === 'same' ? 0 : 1;
}

/** Prints each decision whose outcome differs, and how many are the same. */
async function recomputeEvery({ storage, print, report }: CommandContext): Promise<ExitCode> {
  const counts = { ...NONE };
  const outcomes: object[] = [];
  for await (const { record_id, result } of recomputeAll(storage)) {
    counts[result.kind] += 1;
    if (result.kind === 'same') continue;
    outcomes.push({ record_id, ...result });
    print(resultText(record_id, result));
  }
  const { same, different, damaged, impossible } = counts;
  const all = same + different + damaged + impossible;
  print(`${all} outcomes: ${same} the same, ${different} different, ${damaged} damaged, ${impossible} impossible`);
  report({ ...counts, outcomes });
  return same === all ? 0 : 1;
}

const NONE = { same: 0, different: 0, damaged: 0, impossible: 0 };

function resultText(record_id: string, result: Recomputation): string {
  switch (result.kind) {
    case 'same':
      return `${record_id}: the same, ${result.result_bucket}; its evidence is intact, sha256 ${result.digest}`;
    case 'different':
      return [`${record_id}: different`, ...result.differences.map(differenceText)].join('\n  ');
    case 'damaged':
      return [`${record_id}: its evidence is damaged`, ...result.faults].join('\n  ');
    case 'impossible':
      return `${record_id}: impossible. ${result.reason}`;
  }
}

function differenceText({ path, kept, computed }: Difference): string {
  return `${path}: stored ${kept || 'nothing'}, computed ${computed || 'nothing'}`;
}
