import { canonicalJson } from '../../adapters/formats/canonical-json.ts';
import { DETAIL_WRITER } from '../../adapters/http/shapes/decisions/graph.ts';
import { checkReplies } from '../../application/decisions/read-own-decision.ts';
import { checkEvidence } from '../../application/grading/check-evidence.ts';
import { type Difference, type Recomputation, recompute, recomputeAll } from '../../application/grading/recompute.ts';
import type { CheckedLog, LogGuard } from '../../application/log/check-log.ts';
import type { Settings } from '../../application/ports.ts';
import { type AuditHead, headIn, headText } from '../../domain/audit-log.ts';
import { countedLeaves } from '../../domain/log/leaves/leaf.ts';
import { settingsOf } from '../compose/compose-ports.ts';
import { composeLogWriter } from '../compose/log-writer.ts';
import {
  type Command,
  type CommandContext,
  command,
  type ExitCode,
  FLAG,
  option,
  recordIn,
  UsageError,
} from './command.ts';
import { LOG_COMMANDS } from './log-commands.ts';

const NOTHING = 'This command takes nothing.';

export const EVIDENCE_COMMANDS = [
  command({
    name: 'check-evidence',
    summary:
      'compare all evidence with its commitments and digests, outcomes with what they are computed from, the audit log ' +
      'with its chain, all of it with the evidence log, stored replies with the records, and the counts of cohorts with the decisions; HEAD: a head of the audit log that was printed before',
    json:
      '{ records, outcomes, bars, snapshots, audit_entries: how many were checked, audit_head: its text, logs: [{ origin, leaves, ' +
      'signatures: whether they were checked }], faults: [text], ' +
      'differences: as of check-cohorts, null with --without-cohorts }',
    takes: { 'without-cohorts': FLAG, 'without-recompute': FLAG, 'audit-head': option('HEAD', keptHeadIn) },
    async run(sent, { storage, config, print, report }) {
      const result = await checkEvidenceOn({
        ...{ storage, print, withCohorts: !sent['without-cohorts'], recomputed: !sent['without-recompute'] },
        ...{ keptHead: sent['audit-head'], logGuard: composeLogWriter(config), settings: settingsOf(config) },
      });
      report({ ...result.report });
      return result.ok ? 0 : 1;
    },
  }),
  // Counts the decisions of all cohorts again and compares the stored counts; `--rebuild` first replaces these.
  {
    name: 'check-cohorts',
    usage: '[--rebuild]',
    summary: 'count all cohorts again and show where the stored counts differ; --rebuild makes these again first',
    json: '{ differences: [{ cell, stored, counted }] }; null where one of the two does not exist',
    read([option, ...others]) {
      if (others.length > 0 || (option !== undefined && option !== '--rebuild'))
        throw new UsageError('This command takes --rebuild or nothing.');
      return (context) => checkCohorts(context, option !== undefined);
    },
  } satisfies Command,
  // Computes outcomes again from the evidence stored with them, and compares the two.
  {
    name: 'recompute',
    usage: 'RECORD_ID | --all',
    summary: 'compute an outcome again from its evidence, and show whether it is the same',
    json:
      '{ same, different, damaged, impossible: how many, outcomes: [{ record_id, kind, digest, result_bucket, differences, ' +
      'faults, reason: those of its kind }], with --all only those that are not the same }',
    read([target, ...others]) {
      if (target === undefined || others.length > 0) throw new UsageError('Name one record, or --all.');
      if (target === '--all') return recomputeEvery;
      const record_id = recordIn(target);
      return (context) => recomputeOne(context, record_id);
    },
  } satisfies Command,
  ...LOG_COMMANDS,
  // The service builds it, because this environment may have other thresholds.
  command({
    name: 'build-atlas',
    summary: 'make the service build the atlas now, instead of at its next scheduled run',
    excess: NOTHING,
    async run(_, { storage: { atlas, jobs } }) {
      await atlas.expire();
      await jobs.enqueue('build-atlas');
      return 'The service builds it as soon as it runs jobs.';
    },
  }),
];

async function checkCohorts(context: CommandContext, isRebuilt: boolean): Promise<ExitCode> {
  if (isRebuilt) {
    await context.storage.cohortCells.rebuild();
    context.print('All counts were made again.');
  }
  const differences = await compareCohorts(context);
  context.report({ differences });
  return differences.length === 0 ? 0 : 1;
}

function keptHeadIn(text: string): AuditHead {
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
  keptHead,
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
    ...{ keptHead: keptHead ?? null, recomputed, logGuard },
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
      `The evidence log ${origin} has ${countedLeaves(leaves)}${signatures ? '' : '; without its key its signatures were not checked'}.`,
    );
  }
  const differences = withCohorts ? await compareCohorts({ storage, print }) : null;
  const ok = faults.length === 0 && (differences ?? []).length === 0;
  return { ok, report: { ...counts, audit_head: head && headText(head), faults, differences } };
}

interface EvidenceTask extends Pick<CommandContext, 'storage' | 'print'> {
  readonly withCohorts: boolean;
  readonly keptHead?: AuditHead | undefined;
  /** Whether outcomes are computed again. */
  readonly recomputed?: boolean;
  /** The key of the evidence log, and what was seen of it; null for a database that is not the one in use. */
  readonly logGuard?: LogGuard | null;
  /** Of the service whose stored replies are checked; null: they are not. */
  readonly settings?: Settings | null;
}

interface CountDifference {
  readonly cell: string;
  readonly stored: string | null;
  readonly counted: string | null;
}

/** Prints and returns the stored counts that differ from the decisions. */
async function compareCohorts({
  storage,
  print,
}: Pick<CommandContext, 'storage' | 'print'>): Promise<readonly CountDifference[]> {
  const faults = await storage.cohortCells.check();
  const differences = faults.map(({ cell, kept, counted }) => ({ cell, stored: kept, counted }));
  for (const difference of differences) print(countText(difference));
  print(differences.length === 0 ? 'All counts match the decisions.' : `${differences.length} counts differ.`);
  return differences;
}

function countText({ cell, stored, counted }: CountDifference): string {
  return `${cell}: stored ${stored ?? 'nothing'}, counted ${counted ?? 'nothing'}`;
}

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
