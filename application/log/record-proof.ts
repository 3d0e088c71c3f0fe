import { noSuchAgent } from '../../domain/accounts/keys/agent-store.ts';
import { type ActionSource, eventOf } from '../../domain/accounts/security-event.ts';
import type { Decision } from '../../domain/decisions/decision.ts';
import type { ListedDecision, RecordFilter, RecordPlace } from '../../domain/decisions/own/owner-records.ts';
import { openSalt } from '../../domain/decisions/submission/commitment.ts';
import { hasStatement } from '../../domain/decisions/views/record-fault.ts';
import { isPublic } from '../../domain/decisions/visibility.ts';
import { EXPORT } from '../../domain/limits.ts';
import { base64Of, hexOf } from '../../domain/log/encoding.ts';
import { markOf, numberedProducer } from '../../domain/log/leaves/leaf.ts';
import { publicDigest, publicStatement } from '../../domain/log/leaves/public-statement.ts';
import type { DecisionLeaves, StoredCheckpoint, StoredLog } from '../../domain/log/log-store.ts';
import type { RecordDecision, RecordEnd, RecordHead, RecordLeaf } from '../../domain/log/record-file.ts';
import { inclusionPath, proofHashes, proofNodes } from '../../domain/log/tree/proof.ts';
import type { NodeHash } from '../../domain/log/tree/tree.ts';
import { HOUR } from '../../domain/time.ts';
import { type ExportPlaces, exportPlaces } from '../accounts/export-places.ts';
import { counted } from '../accounts/sign-in/register-owner.ts';
import { replyJson } from '../json-text.ts';
import type { Ports } from '../ports.ts';
import { sha256 } from '../sha256.ts';
import { nodesOfLog } from './append-batch.ts';
import { gradeOf, leavesAt, notesOf, outcomeOpening, type ProofPorts } from './read-proof.ts';
import { noLogKept } from './read-receipt.ts';

export type RecordProofPorts = ProofPorts &
  Pick<Ports, 'decisions' | 'ownerRecords' | 'owners' | 'logins' | 'securityEvents' | 'clock' | 'noteFault'>;

export interface WantedRecord {
  readonly owner_id: string;
  readonly agent_id: string;
  readonly source: ActionSource;
  /** The client's, as addresses are counted. */
  readonly network: string;
}

const PAGE = 100;

/**
 * The whole record of an agent as lines of JSON (`RecordFile`), the newest decision first: every numbered decision that has a
 * leaf in the newest published checkpoint, each as it is when its page is read. It waits for a place, as an export does. That it began is a security event.
 * @throws Problem of `exportPlaces`; RATE_LIMIT_EXCEEDED after `EXPORT.perHour` of them; NOT_FOUND for an agent that the owner
 * does not have; SERVICE_UNAVAILABLE without a published checkpoint. All come before the first piece.
 */
export function recordProofs(
  ports: RecordProofPorts,
  places: ExportPlaces = exportPlaces(),
): (wanted: WantedRecord) => AsyncGenerator<string> {
  return async function* ({ owner_id, agent_id, source, network }) {
    if ((await ports.owners.findAgent(owner_id, agent_id)) === null) throw noSuchAgent(agent_id);
    const log = await ports.log.newest();
    const checkpoint = log && (await ports.log.published(log.log));
    if (!log || !checkpoint) throw noLogKept();
    const leave = await places.take(owner_id, network);
    try {
      const begun = { ...eventOf('data_exported', 'success', owner_id, source), subject: 'record' };
      await counted(ports, [recordsOf(owner_id)], () => ports.securityEvents.append(begun));
      yield* linesOf(ports, { owner_id, agent_id }, log, checkpoint);
    } finally {
      leave();
    }
  };
}

function recordsOf(owner_id: string) {
  return {
    subject: sha256('record-proofs', owner_id),
    most: EXPORT.perHour,
    window: HOUR,
    message: `Records of the agents of an account may be proved ${EXPORT.perHour} times an hour.`,
    suggestion: 'Wait retry_after_seconds.',
  };
}

type Whose = Pick<WantedRecord, 'owner_id' | 'agent_id'>;

async function* linesOf(
  ports: RecordProofPorts,
  whose: Whose,
  log: StoredLog,
  checkpoint: StoredCheckpoint,
): AsyncGenerator<string> {
  const { agent_id } = whose;
  const newest = { log: log.log, ...checkpoint };
  const note = (await notesOf(ports, log, [newest]))(newest) ?? '';
  const head: RecordHead = { type: 'record', v: 1, agent_id, checkpoint: note };
  yield lineOf(head);
  const agent_salt = (await ports.log.agentSalts([agent_id])).get(agent_id);
  let [decisions, imported, earlier] = [0, 0, false];
  for await (const listed of pagesOf(ports, whose)) {
    const numbered = listed.filter(({ number }) => number !== null);
    earlier ||= numbered.length < listed.length;
    if (numbered.length === 0 || agent_salt === undefined) break;
    const page = await pageOf(ports, { log, checkpoint, agent_salt }, await wholeOf(ports, whose, numbered));
    // In RFC 8785 form, so that a reader hashes the statements and outcomes as they stand there.
    for (const each of page.lines) yield `${ports.canonicalJson(each)}\n`;
    decisions += page.lines.length;
    imported += page.imported;
  }
  yield lineOf({ type: 'complete', decisions, imported, earlier } satisfies RecordEnd);
}

function lineOf(line: object): string {
  return `${replyJson(line)}\n`;
}

/** The newest first. */
async function* pagesOf({ ownerRecords }: RecordProofPorts, { owner_id, agent_id }: Whose) {
  let after: RecordPlace | null = null;
  for (;;) {
    const page: readonly ListedDecision[] = await ownerRecords.list(owner_id, { ...ALL, agent_id }, after, PAGE);
    const last = page.at(-1);
    if (!last) return;
    yield page;
    after = last;
  }
}

const ALL: RecordFilter = {
  ...{ agent_id: null, market: null, symbols: null, venue: null, asset_class: null, quote_currency: null },
  ...{ direction: null, lifecycle_state: null, result_bucket: null, submitted_since: null, submitted_until: null },
  ...{ evaluated_since: null, group_id: null, include_archived: true },
  ...{ submission_origin: null, ended_since: null, ended_until: null },
};

async function wholeOf({ decisions }: RecordProofPorts, { owner_id }: Whose, listed: readonly ListedDecision[]) {
  return decisions.find(
    listed.map(({ record_id }) => record_id),
    owner_id,
  );
}

interface Proving {
  readonly log: StoredLog;
  readonly checkpoint: StoredCheckpoint;
  readonly agent_salt: string;
}

interface ReadPage {
  readonly lines: readonly RecordDecision[];
  readonly imported: number;
}

/** The lines of a page of decisions. One that cannot be read has none, and is reported. */
async function pageOf(
  ports: RecordProofPorts,
  { log, checkpoint, agent_salt }: Proving,
  page: readonly Decision[],
): Promise<ReadPage> {
  const leavesOf = await ports.log.leavesOfEach(
    log.log,
    page.map(({ record_id }) => record_id),
  );
  const logged = page.flatMap((decision) => {
    const leaves = leavesOf.get(decision.record_id);
    return leaves && leaves.index < checkpoint.size ? [{ decision, leaves: upTo(leaves, checkpoint) }] : [];
  });
  const placed = await placedLeaves(
    ports,
    { log, checkpoint },
    logged.flatMap(({ leaves }) => indexesOf(leaves)),
  );
  const lines: RecordDecision[] = [];
  let imported = 0;
  for (const { decision, leaves } of logged) {
    try {
      const line = decisionLine(ports, decision, leaves, { placed, agent_salt });
      if (line) lines.push(line);
      else imported += 1;
    } catch {
      ports.noteFault?.(decision.record_id, ['statement']);
    }
  }
  return { lines, imported };
}

/** Without an outcome whose leaf came after the checkpoint. */
function upTo(leaves: DecisionLeaves, { size }: StoredCheckpoint): DecisionLeaves {
  return leaves.outcome && leaves.outcome.index < size ? leaves : { ...leaves, outcome: null };
}

function indexesOf({ index, outcome }: DecisionLeaves): readonly number[] {
  return outcome ? [index, outcome.index] : [index];
}

/** What each line has of its leaves, by their indexes. */
async function placedLeaves(
  ports: RecordProofPorts,
  { log, checkpoint }: Pick<Proving, 'log' | 'checkpoint'>,
  indexes: readonly number[],
): Promise<(index: number) => RecordLeaf> {
  const paths = new Map(indexes.map((index) => [index, inclusionPath(index, checkpoint.size)]));
  const hashOf: NodeHash = await nodesOfLog(ports.log, log.log, [...paths.values()].flatMap(proofNodes));
  const first = await ports.log.firstWithEach(log.log, indexes);
  const notes = await notesOf(ports, log, [...first.values()]);
  const leafAt = await leavesAt(ports.log, log, indexes);
  return (index) => {
    const [path, receipt] = [paths.get(index), first.get(index)];
    const note = receipt && notes(receipt);
    if (!path || note === undefined) throw new Error(`The leaf ${index} of ${log.origin} has no checkpoint.`);
    return { index, leaf: leafAt(index), path: proofHashes(path, hashOf, sha256).map(base64Of), note };
  };
}

/** Null for a decision that the log imported. */
function decisionLine(
  { canonicalJson }: RecordProofPorts,
  decision: Decision,
  { index, public_salt, outcome }: DecisionLeaves,
  { placed, agent_salt }: { readonly placed: (index: number) => RecordLeaf; readonly agent_salt: string },
): RecordDecision | null {
  const place = placed(index);
  if (place.leaf.v === 1) return null;
  const { number, commitment, owner_id, agent_id } = decision;
  if (number === null || !hasStatement(decision)) throw new Error(`${decision.record_id} cannot be read.`);
  const next_mark = hexOf(markOf(agent_salt, number + 1, sha256));
  const producer = numberedProducer({ salt: openSalt(decision), owner_id, agent_id, number, next_mark }, sha256);
  const line = { type: 'decision', ...place, producer, commitment } as const;
  const public_statement = publicStatement(decision);
  if (!isPublic(decision)) {
    return { ...line, public_digest: hexOf(publicDigest(public_salt, public_statement, canonicalJson, sha256)) };
  }
  const shown = { ...line, public_salt: hexOf(public_salt), public_statement };
  if (!outcome) return shown;
  const graded = placed(outcome.index);
  const { outcome_salt, public_outcome } = outcomeOpening(decision, outcome, gradeOf(graded.leaf));
  return { ...shown, outcome: { ...graded, outcome_salt, public_outcome } };
}
