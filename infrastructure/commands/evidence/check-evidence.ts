import { canonicalJson } from '../../../adapters/formats/canonical-json.ts';
import { DETAIL_WRITER } from '../../../adapters/http/shapes/decisions/written-detail.ts';
import { checkReplies } from '../../../application/decisions/check-replies.ts';
import { checkEvidence } from '../../../application/grading/check-evidence.ts';
import type { CheckedLog, LogGuard } from '../../../application/log/check-log.ts';
import type { Settings } from '../../../application/ports.ts';
import { type AuditHead, headIn, headText } from '../../../domain/audit-chain.ts';
import { settingsOf } from '../../compose/compose-ports.ts';
import { composeLogWriter } from '../../compose/log-writer.ts';
import { argumentsIn } from '../arguments.ts';
import { type Command, type CommandContext, UsageError } from '../command.ts';
import { type CountDifference, compareCohorts } from './check-cohorts.ts';

/** Compares all evidence with the commitments and digests that it was stored with, and the counts with the decisions. */
export const checkEvidenceCommand: Command = {
  usage: '[--without-cohorts] [--without-recompute] [--audit-head HEAD]',
  summary:
    'compare all evidence with its commitments and digests, outcomes with what they are computed from, the audit log ' +
    'with its chain, all of it with the evidence log, stored replies with the records, and the counts of cohorts with the decisions; HEAD: a head of the audit log that was printed before',
  json:
    '{ records, outcomes, bars, snapshots, audit_entries: how many were checked, audit_head: its text, logs: [{ origin, leaves, ' +
    'signatures: whether they were checked }], faults: [text], ' +
    'differences: as of check-cohorts, null with --without-cohorts }',
  read(args) {
    const { positionals, values } = argumentsIn(args, OPTIONS);
    if (positionals.length > 0) throw new UsageError('This command takes options only.');
    const withCohorts = !values['without-cohorts'];
    const keptHead = keptHeadIn(values['audit-head']);
    return async ({ storage, config, print, report }) => {
      const result = await checkEvidenceOn({
        storage,
        print,
        withCohorts,
        keptHead,
        recomputed: !values['without-recompute'],
        logGuard: composeLogWriter(config),
        settings: settingsOf(config),
      });
      report({ ...result.report });
      return result.ok ? 0 : 1;
    };
  },
};

const OPTIONS = {
  'without-cohorts': { type: 'boolean', default: false },
  'without-recompute': { type: 'boolean', default: false },
  'audit-head': { type: 'string' },
} as const;

function keptHeadIn(text: string | undefined): AuditHead | null {
  if (text === undefined) return null;
  const head = headIn(text);
  if (head) return head;
  throw new UsageError(`--audit-head ${text}: send what "audit --head" printed, a number, a colon and 64 digits.`);
}

export interface EvidenceResult {
  readonly ok: boolean;
  readonly report: {
    readonly records: number;
    readonly outcomes: number;
    readonly bars: number;
    readonly snapshots: number;
    readonly audit_entries: number;
    /** `SEQ:SEAL` of the newest entry; null for an empty log. */
    readonly audit_head: string | null;
    readonly logs: readonly CheckedLog[];
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
  keptHead = null,
  recomputed = true,
  logGuard = null,
  settings = null,
}: EvidenceTask): Promise<EvidenceResult> {
  const faults: string[] = [];
  const report = (fault: string) => {
    faults.push(fault);
    print(fault);
  };
  const {
    audit_head: head,
    faults: _,
    ...counts
  } = await checkEvidence({ ...storage, canonicalJson }, report, {
    ...{ keptHead, recomputed, logGuard },
  });
  if (settings) await checkReplies({ ...storage, settings }, DETAIL_WRITER, report);
  const { records, outcomes, bars, snapshots, audit_entries } = counts;
  print(`${records} statements, ${outcomes} outcomes, ${bars} stretches of bars, ${snapshots} workflow snapshots`);
  print(faults.length === 0 ? 'All evidence matches its commitments and digests.' : `${faults.length} faults.`);
  print(
    `The audit log has ${audit_entries} ${audit_entries === 1 ? 'entry' : 'entries'}${head ? `; its head is ${headText(head)}` : ''}.`,
  );
  for (const { origin, leaves, signatures } of counts.logs) {
    print(
      `The evidence log ${origin} has ${leaves} leaves${signatures ? '' : '; without its key its signatures were not checked'}.`,
    );
  }
  const differences = withCohorts ? await compareCohorts({ storage, print }) : null;
  const ok = faults.length === 0 && (differences ?? []).length === 0;
  return { ok, report: { ...counts, audit_head: head && headText(head), faults, differences } };
}

interface EvidenceTask extends Pick<CommandContext, 'storage' | 'print'> {
  readonly withCohorts: boolean;
  readonly keptHead?: AuditHead | null;
  /** Whether outcomes are computed again. */
  readonly recomputed?: boolean;
  /** The key of the evidence log, and what was seen of it; null for a database that is not the one in use. */
  readonly logGuard?: LogGuard | null;
  /** Of the service whose stored replies are checked; null: they are not. */
  readonly settings?: Settings | null;
}
