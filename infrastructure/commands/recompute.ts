import { type Recomputation, recompute, recomputeAll } from '../../application/grading/recompute.ts';
import { RECORD_ID } from '../../domain/identifiers.ts';
import { type Command, type CommandContext, type ExitCode, UsageError } from './command.ts';

/** Computes outcomes again from the evidence that was kept with them, and tells whether they come out the same. */
export const recomputeCommand: Command = {
  usage: 'RECORD_ID | --all',
  summary: 'compute an outcome again from the evidence kept with it, and tell whether it comes out the same',
  read(args) {
    const [asked, ...others] = args;
    if (asked === undefined || others.length > 0) throw new UsageError('Name one record, or --all.');
    if (asked === '--all') return recomputeEvery;
    if (!RECORD_ID.test(asked)) throw new UsageError(`${asked} is no record id; they look like dec_20260302_5c0ffee5.`);
    return (context) => recomputeOne(context, asked);
  },
};

async function recomputeOne({ storage, print }: CommandContext, record_id: string): Promise<ExitCode> {
  const result = await recompute(storage, record_id);
  print(told(record_id, result));
  return result.kind === 'same' ? 0 : 1;
}

/** Tells each record that did not come out the same, and how many did. */
async function recomputeEvery({ storage, print }: CommandContext): Promise<ExitCode> {
  const counts = { same: 0, different: 0, damaged: 0, impossible: 0 };
  for await (const { record_id, result } of recomputeAll(storage)) {
    counts[result.kind] += 1;
    if (result.kind !== 'same') print(told(record_id, result));
  }
  const { same, different, damaged, impossible } = counts;
  const all = same + different + damaged + impossible;
  print(`${all} outcomes: ${same} the same, ${different} different, ${damaged} damaged, ${impossible} impossible`);
  return same === all ? 0 : 1;
}

function told(record_id: string, result: Recomputation): string {
  switch (result.kind) {
    case 'same':
      return `${record_id}: the same, ${result.result_bucket}; its evidence is intact, sha256 ${result.digest}`;
    case 'different':
      return [`${record_id}: different`, ...result.differences.map(differing)].join('\n  ');
    case 'damaged':
      return [`${record_id}: its evidence is damaged`, ...result.faults].join('\n  ');
    case 'impossible':
      return `${record_id}: impossible. ${result.reason}`;
  }
}

function differing({ path, kept, computed }: { path: string; kept: string; computed: string }): string {
  return `${path}: kept ${kept || 'nothing'}, computed ${computed || 'nothing'}`;
}
