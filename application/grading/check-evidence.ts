import type { AuditHead } from '../../domain/audit-chain.ts';
import { commitmentOf } from '../../domain/decisions/commitment.ts';
import type { StoredRecord, StoredText } from '../../domain/decisions/evidence-reader.ts';
import { isPublic } from '../../domain/decisions/visibility.ts';
import type { EvidenceDocument } from '../../domain/grading/evidence.ts';
import { rfc3339 } from '../../domain/time.ts';
import type { Ports } from '../ports.ts';
import { sha256Hex } from '../sha256.ts';
import { auditChainCheck } from './check-audit-chain.ts';

/** How many of each were checked. */
export interface EvidenceCheck {
  readonly records: number;
  readonly outcomes: number;
  readonly bars: number;
  readonly snapshots: number;
  readonly audit_entries: number;
  /** Of the audit log; null for an empty one. */
  readonly audit_head: AuditHead | null;
  readonly faults: number;
}

/**
 * Checks all evidence against its seals: of every record the statement against its commitment, SHA-256(salt ||
 * statement), and against the stored columns; of every outcome the document against its digest, the method of the record
 * and the bars that it names; of every stretch of bars and published workflow the content against its hash (settled.md
 * sections 4 and 11); and the chain of the audit log.
 * It holds one page in memory, however much there is; what is written meanwhile may or may not be checked.
 * @param report is called with each fault, in words
 * @param keptHead a head of the audit log of an earlier time
 */
export async function checkEvidence(
  { evidence }: Pick<Ports, 'evidence'>,
  report: (fault: string) => void,
  keptHead: AuditHead | null = null,
): Promise<EvidenceCheck> {
  const counts = { records: 0, outcomes: 0, bars: 0, snapshots: 0, faults: 0 };
  const chain = auditChainCheck(keptHead);
  const note = (about: string, faults: readonly string[]) => {
    counts.faults += faults.length;
    for (const fault of faults) report(`${about}: ${fault}`);
  };
  for await (const record of every(evidence.recordsAfter, ({ record_id }) => record_id)) {
    counts.records += 1;
    counts.outcomes += Number(record.has_outcome);
    note(record.record_id, [...faultsOfStatement(record), ...faultsOfOutcome(record)]);
  }
  for await (const text of every(evidence.barsAfter, ({ digest }) => digest)) {
    counts.bars += 1;
    note(`bars ${text.digest}`, faultsOfText(text));
  }
  for await (const text of every(evidence.snapshotsAfter, ({ digest }) => digest)) {
    counts.snapshots += 1;
    note(`workflow snapshot ${text.digest}`, faultsOfText(text));
  }
  for await (const entry of every(evidence.auditAfter, ({ seq }) => seq)) {
    note(`audit entry ${entry.seq}`, chain.next(entry));
  }
  const { entries, head, faults } = chain.end();
  note(`audit entry ${keptHead?.seq}`, faults);
  return { ...counts, audit_entries: entries, audit_head: head };
}

const PAGE = 200;

async function* every<Row>(
  pageAfter: (after: string | null, limit: number) => Promise<readonly Row[]>,
  idOf: (row: Row) => string,
): AsyncGenerator<Row> {
  for (let after: string | null = null; ; ) {
    const page = await pageAfter(after, PAGE);
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    after = idOf(last);
  }
}

function faultsOfStatement(record: StoredRecord): readonly string[] {
  const { said } = record;
  if (said === null) return ['the statement is gone'];
  const { statement, salt, commitment } = said;
  if (commitmentOf(Buffer.from(salt, 'hex'), statement, sha256Hex) !== commitment)
    return ['the statement does not match its commitment'];
  return columnFaults(record, JSON.parse(statement));
}

/** A statement in RFC 8785 form, as far as columns of the record repeat it. */
interface Statement {
  readonly record_id: string;
  readonly submission_time: string;
  readonly body: {
    readonly direction: string;
    readonly horizon_kind: string;
    readonly horizon_value: number;
    readonly data_cutoff: string;
  };
}

/** The seal is intact, but the columns for searching and grading may differ. */
function columnFaults(record: StoredRecord, { record_id, submission_time, body }: Statement): readonly string[] {
  const pairs = {
    record_id: [record_id, record.record_id],
    submission_time: [Date.parse(submission_time), record.submission_time.getTime()],
    direction: [body.direction, record.direction],
    horizon_kind: [body.horizon_kind, record.horizon_kind],
    horizon_value: [body.horizon_value, record.horizon_value],
    data_cutoff: [Date.parse(body.data_cutoff), record.data_cutoff.getTime()],
  };
  return Object.entries(pairs)
    .filter(([, [stated, stored]]) => stated !== stored)
    .map(
      ([name, [stated, stored]]) =>
        `${name} is ${shown(name, stated)} in the statement and ${shown(name, stored)} in the record`,
    );
}

function shown(name: string, value: string | number | undefined): string {
  return name === 'submission_time' || name === 'data_cutoff' ? rfc3339(Number(value)) : String(value);
}

function faultsOfOutcome(record: StoredRecord): readonly string[] {
  const { record_id, method, has_outcome, evidence } = record;
  if (!has_outcome) return isPublic(record) ? ['its outcome is gone'] : [];
  if (evidence === null) return ['the evidence of its outcome is gone'];
  const { digest, document, missing_bars } = evidence;
  if (sha256Hex(document) !== digest) return ['the document of its evidence does not match its digest'];
  const sealed = JSON.parse(document) as EvidenceDocument;
  const owned = sealed.record_id === record_id ? [] : [`its evidence is that of ${sealed.record_id}`];
  const graded = sealed.method === method ? [] : [`its evidence is of ${sealed.method}, the record of ${method}`];
  return [...owned, ...graded, ...missing_bars.map((name) => `bars of its evidence are gone: ${name}`)];
}

function faultsOfText({ digest, content }: StoredText): readonly string[] {
  return sha256Hex(content) === digest ? [] : ['the content does not match its digest'];
}
