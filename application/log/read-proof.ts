import type { Decision } from '../../domain/decisions/decision.ts';
import type { EvidenceDocument, SealedEvidence } from '../../domain/grading/evidence.ts';
import { hexOf } from '../../domain/log/encoding.ts';
import { leavesOfBundle } from '../../domain/log/entry-bundle.ts';
import { leafOf } from '../../domain/log/leaf.ts';
import type { DecisionLeaves, LogStore, OutcomeSecrets, StoredLog } from '../../domain/log/log-store.ts';
import { noteText } from '../../domain/log/note.ts';
import {
  type DecisionOpening,
  type EvidenceOpening,
  type Opening,
  type OutcomeOpening,
  openingBytes,
} from '../../domain/log/opening.ts';
import { inclusionPath, proofHashes, proofNodes } from '../../domain/log/proof.ts';
import { loggedOutcome } from '../../domain/log/public-outcome.ts';
import { publicStatement } from '../../domain/log/public-statement.ts';
import { MOST_TILE_WIDTH } from '../../domain/log/tile.ts';
import { proofText } from '../../domain/log/tlog-proof.ts';
import type { Ports } from '../ports.ts';
import { sha256 } from '../sha256.ts';
import { nodesOfLog } from './append-batch.ts';
import { witnessedCheckpoint } from './signed-checkpoint.ts';

/** Which leaf of a decision, and what opens it. */
export interface ProofQuery {
  readonly leaf: 'decision' | 'outcome';
  /** Adds the owner's part to the opening of a decision; for its owner alone. */
  readonly owner: boolean;
  /** Adds to the opening of an outcome what it was computed from, if that is stored. */
  readonly evidence: boolean;
}

export type ProofPorts = Pick<Ports, 'log' | 'signatures' | 'evidence' | 'canonicalJson'>;

/**
 * The proof file of a leaf of a decision in the newest log (tlog-proof), with its opening. Its checkpoint is the first
 * with the leaf that a quorum of witnesses had, and stays that; while there is none, the first that was published with it.
 * Null while no published checkpoint has the leaf. Who may read it is the caller's to judge.
 */
export async function readProof(ports: ProofPorts, decision: Decision, query: ProofQuery): Promise<string | null> {
  const { log: store, canonicalJson } = ports;
  const log = await store.newest();
  const leaves = log && (await store.leavesOf(log.log, decision.record_id));
  const index = query.leaf === 'decision' ? leaves?.index : leaves?.outcome?.index;
  if (!log || !leaves || index === undefined) return null;
  const checkpoint = await store.firstWith(log.log, index);
  const note = checkpoint && (await witnessedCheckpoint(ports, log, checkpoint, 'first'));
  if (!note) return null;
  const opening = await openingOf(ports, decision, leaves, await leafAt(store, log, index), query);
  const path = inclusionPath(index, checkpoint.size);
  const hashOf = await nodesOfLog(store, log.log, proofNodes(path));
  return proofText({
    extra: openingBytes(opening, canonicalJson),
    index,
    hashes: proofHashes(path, hashOf, sha256),
    checkpoint: noteText(note),
  });
}

async function leafAt(store: Pick<LogStore, 'bundle'>, { log, origin }: StoredLog, index: number) {
  const bundle = await store.bundle(log, Math.floor(index / MOST_TILE_WIDTH));
  const bytes = bundle && leavesOfBundle(bundle)[index % MOST_TILE_WIDTH];
  if (!bytes) throw new Error(`The leaf ${index} of ${origin} is not stored.`);
  return leafOf(bytes);
}

async function openingOf(
  { evidence }: ProofPorts,
  decision: Decision,
  { public_salt, producer, outcome }: DecisionLeaves,
  leaf: ReturnType<typeof leafOf>,
  query: ProofQuery,
): Promise<Opening> {
  if (leaf.t === 'outcome' && outcome) {
    const sealed = query.evidence ? await evidence.findEvidence(decision.record_id) : null;
    return {
      ...outcomeOpening(decision, outcome, leaf),
      ...(sealed && { evidence: evidenceOpening(sealed, outcome) }),
    };
  }
  if (leaf.t !== 'decision' && leaf.t !== 'imported') {
    throw new Error(`${decision.record_id} has a leaf of the type ${leaf.t}.`);
  }
  const { commitment, salt, statement, owner_id, agent_id } = decision;
  return {
    v: 1,
    leaf: { ...leaf, t: leaf.t },
    commitment,
    producer: hexOf(producer),
    public_salt: hexOf(public_salt),
    public_statement: publicStatement(decision),
    ...(query.owner && { owner: { salt, statement, owner_id, agent_id } }),
  } satisfies DecisionOpening;
}

function outcomeOpening(
  { evaluated_at, result_bucket, facts, ...decision }: Decision,
  { outcome_salt, evidence, shown }: OutcomeSecrets,
  leaf: OutcomeOpening['leaf'],
): OutcomeOpening {
  if (!evaluated_at || !result_bucket || !facts) throw new Error(`The grade of ${decision.record_id} is gone.`);
  const public_outcome = loggedOutcome({ ...decision, evaluated_at, result_bucket, facts }, evidence, shown);
  return { v: 1, leaf, outcome_salt: hexOf(outcome_salt), public_outcome };
}

/** With the bars in the order in which the document names them. */
function evidenceOpening({ document, bars }: SealedEvidence, { evidence_salt }: OutcomeSecrets): EvidenceOpening {
  const { path, daily } = JSON.parse(document) as EvidenceDocument;
  const contents = new Map(bars.map(({ digest, content }) => [digest, content]));
  const named = [...new Set([...path.bars, ...daily.bars])];
  return { salt: hexOf(evidence_salt), document, bars: named.flatMap((digest) => contents.get(digest) ?? []) };
}
