import { type AuditHead, BEFORE_THE_FIRST, type ChainedEntry, sealOf } from '../../domain/audit-log.ts';
import { type LaterReader, laterReader, type ReadRecord } from '../../domain/decisions/later-reading.ts';
import { commitmentOf } from '../../domain/decisions/submission/commitment.ts';
import { keyFactors, type Submission } from '../../domain/decisions/submission/submission.ts';
import type { StoredRecord, StoredSubmission, StoredText } from '../../domain/decisions/views/decision-reader.ts';
import { isPublic } from '../../domain/decisions/visibility.ts';
import type { EvidenceDocument } from '../../domain/grading/evidence.ts';
import { erasedProducer, erasedStatement } from '../../domain/log/leaves/public-statement.ts';
import { NO_NAMES } from '../../domain/market/name-book.ts';
import { type CheckedLog, checkLog, type LogGuard } from '../log/check-log.ts';
import { newestNames } from '../market/names.ts';
import type { Ports } from '../ports.ts';
import { sha256Hex } from '../sha256.ts';
import {
  asReceived,
  differences,
  differingColumns,
  gradeFaults,
  receivedFaults,
  recompute,
  type Statement,
  submittedFaults,
} from './recompute.ts';

/** How many of each were checked. */
export interface EvidenceCheck {
  readonly records: number;
  readonly outcomes: number;
  readonly bars: number;
  readonly snapshots: number;
  readonly audit_entries: number;
  /** Of the audit log; null for an empty one. */
  readonly audit_head: AuditHead | null;
  /** The evidence logs, the oldest first. */
  readonly logs: readonly CheckedLog[];
  readonly faults: number;
}

type EvidencePorts = Pick<Ports, 'evidence' | 'decisions' | 'log' | 'logEvidence' | 'canonicalJson' | 'names'>;

export interface EvidenceOptions {
  /** A head of the audit log of an earlier time. */
  readonly keptHead?: AuditHead | null;
  /** Whether outcomes whose seals are intact are computed again; true unless given. */
  readonly recomputed?: boolean;
  /** The key of the evidence log, and what was seen of it. */
  readonly logGuard?: LogGuard | null;
}

/**
 * Checks all evidence against its seals: of every record the statement against its commitment, SHA-256(salt ||
 * statement), and every column that is sealed against the statement, the receipt, the outcome and the audit log; of every
 * outcome the document against its digest, the method of the record and the bars that it names, and the facts against a
 * new computation; that the numbers of each agent have no gap; of every stretch of bars and published workflow the content against its hash (settled.md
 * sections 4 and 11); that every record counts as the names say; the evidence log (`checkLog`); and the chain of the audit log, also against its heads in the log.
 * It holds one page in memory, however much there is; what is written meanwhile may or may not be checked.
 * @param report is called with each fault, in words
 */
export async function checkEvidence(
  ports: EvidencePorts,
  report: (fault: string) => void,
  { keptHead = null, recomputed = true, logGuard = null }: EvidenceOptions = {},
): Promise<EvidenceCheck> {
  const { evidence } = ports;
  const counts = { records: 0, outcomes: 0, bars: 0, snapshots: 0, faults: 0 };
  const note: Note = (about, faults) => {
    counts.faults += faults.length;
    for (const fault of faults) report(`${about}: ${fault}`);
  };
  const reader = pageReader(ports);
  for await (const record of every(reader.recordsAfter, ({ record_id }) => record_id)) {
    counts.records += 1;
    counts.outcomes += Number(record.outcome !== null);
    note(record.record_id, [...(await recordFaults(ports, record, recomputed)), ...countedFaults(reader, record)]);
  }
  for (const { record_id, number, place } of await evidence.misnumbered(PAGE)) {
    note(record_id, [`number is ${number}, and ${place - 1} numbered decisions of its agent come before it`]);
  }
  for await (const text of every(evidence.barsAfter, ({ digest }) => digest)) {
    counts.bars += 1;
    note(`bars ${text.digest}`, faultsOfText(text));
  }
  for await (const text of every(evidence.snapshotsAfter, ({ digest }) => digest)) {
    counts.snapshots += 1;
    note(`workflow snapshot ${text.digest}`, faultsOfText(text));
  }
  const logs = await checkLog(ports, logGuard, note);
  const heads = (await ports.log.heads()).map(({ head, day }) => ({ ...head, when: `on ${day}, as logged` }));
  const kept = keptHead ? [{ ...keptHead, when: 'when the given head was printed' }] : [];
  return { ...(await checkAudit(evidence, note, [...heads, ...kept])), logs, ...counts };
}

type Note = (about: string, faults: readonly string[]) => void;

/**
 * Pages of records, each read by the names of its moment: an import changes names and records at once, so that a page before
 * and after which the same statements are known is of these.
 */
function pageReader({ evidence, names }: Pick<EvidencePorts, 'evidence' | 'names'>): PageReader {
  let book = NO_NAMES;
  let reader = laterReader(book);
  return {
    async recordsAfter(after, limit) {
      for (;;) {
        const known = await newestNames(names);
        const page = await evidence.recordsAfter(after, limit);
        if ((await newestNames(names)).newest > known.newest) continue;
        if (known !== book) reader = laterReader(known);
        book = known;
        return page;
      }
    },
    read: (record) => reader.read(record),
  };
}

/** `read`: by the names of the last page. */
interface PageReader extends LaterReader, Pick<Ports['evidence'], 'recordsAfter'> {}

async function checkAudit({ auditAfter }: Ports['evidence'], note: Note, known: readonly KnownHead[]) {
  const chain = auditChainCheck(known);
  for await (const entry of every(auditAfter, ({ seq }) => seq)) note(`audit entry ${entry.seq}`, chain.next(entry));
  const { entries, head, faults } = chain.end();
  for (const { seq, fault } of faults) note(`audit entry ${seq}`, [fault]);
  return { audit_entries: entries, audit_head: head };
}

/** The outcome is computed again only from a statement and evidence that are intact. */
async function recordFaults(ports: EvidencePorts, record: StoredRecord, recomputed: boolean): Promise<string[]> {
  const sealFaults = [...faultsOfStatement(record), ...faultsOfOutcome(record)];
  const again = recomputed && record.outcome !== null && sealFaults.length === 0;
  return [...sealFaults, ...gradeFaults(record), ...(again ? await recomputationFaults(ports, record.record_id) : [])];
}

/** Whether a record counts under what the names say, whose prices its grade is by, too. */
function countedFaults(reader: LaterReader, { said, columns, outcome }: StoredRecord): readonly string[] {
  const timeOf = (value: unknown) => (value instanceof Date ? value : new Date(String(value)));
  const [anchor_time, end_time, submission_time] = [columns.anchor_time, columns.end_time, columns.submission_time];
  const stored = {
    ...(columns as unknown as ReadRecord),
    ...{ anchor_time: timeOf(anchor_time), end_time: timeOf(end_time), submission_time: timeOf(submission_time) },
    erased: said === null || said.salt === null,
    graded: outcome && {
      at: timeOf(outcome.evaluated_at),
      source: outcome.facts?.source ?? '',
      names: outcome.facts?.names,
    },
  };
  const { symbol, wrong_security } = reader.read(stored);
  const isWrong = columns.cohort_exception === 'wrong_security';
  const { received_symbol = null, received_cohort_key = null, counted_since = null } = columns;
  const noted = [received_symbol, received_cohort_key, counted_since].filter((each) => each !== null).length;
  return [
    ...(noted === 0 || noted === 3
      ? []
      : [
          `received_symbol is ${received_symbol}, received_cohort_key is ${received_cohort_key}, and counted_since is ` +
            `${counted_since}: all of them are noted, or none`,
        ]),
    ...(symbol === stored.symbol ? [] : [`it counts under ${stored.symbol}, and the names say ${symbol}`]),
    ...(wrong_security === isWrong
      ? []
      : [`its grade ${isWrong ? 'is in no cohort' : 'is counted'}, and the names say otherwise whose prices it is by`]),
  ];
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
  if (salt === null) return erasedFaults(record, said);
  if (record.erasure?.ended) return ['its owner was erased, and what they wrote is still stored'];
  if (commitmentOf(Buffer.from(salt, 'hex'), statement, sha256Hex) !== commitment)
    return ['the statement does not match its commitment'];
  return submittedFaults(record, JSON.parse(statement) as Statement);
}

function faultsOfOutcome(record: StoredRecord): readonly string[] {
  const { record_id, method, outcome, evidence } = record;
  if (outcome === null) return isPublic(record) ? ['its outcome is gone'] : [];
  if (evidence === null) return ['the evidence of its outcome is gone'];
  const { digest, document, path_bars, daily_bars, missing_bars } = evidence;
  if (sha256Hex(document) !== digest) return ['the document of its evidence does not match its digest'];
  const sealed = JSON.parse(document) as EvidenceDocument;
  const owned = sealed.record_id === record_id ? [] : [`its evidence is that of ${sealed.record_id}`];
  const graded = sealed.method === method ? [] : [`its evidence is of ${sealed.method}, the record of ${method}`];
  const named = Object.entries({ path_bars, daily_bars }).flatMap(([name, bars]) =>
    bars.join() === sealed[name === 'path_bars' ? 'path' : 'daily'].bars.join()
      ? []
      : [`${name} are not those of its document`],
  );
  return [...owned, ...graded, ...named, ...missing_bars.map((name) => `bars of its evidence are gone: ${name}`)];
}

function faultsOfText({ digest, content }: StoredText): readonly string[] {
  return sha256Hex(content) === digest ? [] : ['the content does not match its digest'];
}

async function recomputationFaults(ports: EvidencePorts, record_id: string) {
  const result = await recompute(ports, record_id);
  switch (result.kind) {
    case 'same':
      return [];
    case 'different':
      return result.differences.map(
        ({ path, kept, computed }) => `${path} is ${kept || 'nothing'}, computed again ${computed || 'nothing'}`,
      );
    case 'damaged':
      return result.faults;
    case 'impossible':
      return [result.reason];
  }
}

/**
 * What is wrong with a record whose statement has no salt: the opening of its commitment is missing, unless its owner was
 * erased, which the audit log shows. Of such a record nothing may be left that only the owner saw; the leaf of the evidence
 * log still seals what others see of it.
 */
function erasedFaults({ record_id, erasure, columns }: StoredRecord, said: StoredSubmission): readonly string[] {
  if (erasure === null) return ['the salt of its commitment is missing, and its owner was not erased'];
  const { statement, commitment, receipt, submission, confidence } = said;
  const { symbol } = asReceived(columns);
  return [
    ...(isErased(statement) ? [] : ['more is left of its statement than an erasure leaves']),
    ...differingColumns({ submission, confidence }, { submission: null, confidence: null }, 'after an erasure'),
    ...differingColumns(columns, { submitted_symbol: symbol, archive_reason: null }, 'after an erasure'),
    ...differingColumns({ ...receipt }, { record_id, commitment }, 'in the record', 'in the receipt'),
    ...receivedFaults(columns, said),
  ];
}

/** Whether a text is exactly what an erasure leaves of a statement; a factor stays a shorthand where it was sent as one. */
function isErased(statement: string): boolean {
  const producer = erasedProducer(statement);
  const stored = parsed(statement);
  if (producer === null || !stored?.body) return false;
  const expanded = { ...stored, body: { ...stored.body, key_factors: keyFactors(stored.body) } };
  return differences(expanded, erasedStatement(stored.body, producer)).length === 0;
}

function parsed(statement: string): { readonly body?: Pick<Submission, 'key_factors'> } | null {
  try {
    return JSON.parse(statement);
  } catch {
    return null;
  }
}

/** A head of an earlier time. */
interface KnownHead extends AuditHead {
  /** From when it is, such as `when the given head was printed`. */
  readonly when: string;
}

/**
 * Checks the entries of the audit log, given in their order: each against its own seal, and the seal that it names of
 * the entry before. Entries that are missing at the end are noticed by heads of earlier times alone.
 */
function auditChainCheck(known: readonly KnownHead[]) {
  let last: AuditHead = { seq: '0', seal: BEFORE_THE_FIRST };
  const numbers = new Set(known.map(({ seq }) => seq));
  const found = new Map<string, string>();
  let entries = 0;
  return {
    /** @returns the faults of the next entry */
    next(entry: ChainedEntry): readonly string[] {
      const { seq, previous, seal } = entry;
      const follows = previous === last.seal;
      const faults = follows ? [] : [`it does not follow entry ${last.seq}: entries before it were changed or removed`];
      entries += 1;
      last = { seq, seal };
      if (numbers.has(seq)) found.set(seq, seal);
      return sealOf(entry, sha256Hex) === seal ? faults : [...faults, 'its content does not match its seal'];
    },
    /** @returns what was checked, and the faults of the known heads by the number of their entry */
    end() {
      const faults = known.flatMap(({ seq, seal, when }) => {
        const stored = found.get(seq);
        if (stored === seal) return [];
        return [
          {
            seq,
            fault: stored ? `its seal is ${stored}, and was ${seal} ${when}` : `it is gone; it was there ${when}`,
          },
        ];
      });
      return { entries, head: entries === 0 ? null : last, faults };
    },
  };
}
