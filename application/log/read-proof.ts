import type { Decision } from '../../domain/decisions/decision.ts';
import { openSalt } from '../../domain/decisions/submission/commitment.ts';
import { hasStatement } from '../../domain/decisions/views/record-fault.ts';
import type { EvidenceDocument, SealedEvidence } from '../../domain/grading/evidence.ts';
import { hexOf } from '../../domain/log/encoding.ts';
import { type LogLeaf, leafOf, markOf } from '../../domain/log/leaves/leaf.ts';
import {
  type DecisionOpening,
  type EvidenceOpening,
  type Opening,
  type OutcomeOpening,
  type OwnerOpening,
  openingBytes,
} from '../../domain/log/leaves/opening.ts';
import { loggedOutcome, publicStatement } from '../../domain/log/leaves/public-statement.ts';
import type { LoggedGrade, PublicDecisionLeaf } from '../../domain/log/log-evidence.ts';
import type {
  DecisionLeaves,
  LogStore,
  OutcomeSecrets,
  ProvingCheckpoint,
  StoredLog,
} from '../../domain/log/log-store.ts';
import { noteText } from '../../domain/log/notes/note.ts';
import { inclusionPath, proofHashes, proofNodes, proofText } from '../../domain/log/tree/proof.ts';
import { leavesOfBundle, MOST_TILE_WIDTH } from '../../domain/log/tree/tile.ts';
import { Problem } from '../../domain/problem.ts';
import type { Ports } from '../ports.ts';
import { sha256 } from '../sha256.ts';
import { nodesOfLog } from './append-batch.ts';
import { witnessedCheckpoint } from './witness-checkpoint.ts';

/** Which leaf of a decision, and what opens it. */
export interface ProofQuery {
  readonly leaf: 'decision' | 'outcome';
  /** Adds the owner's part to the opening of a decision; for its owner alone. */
  readonly owner: boolean;
  /** Adds to the opening of an outcome what it was computed from, if that is stored. */
  readonly evidence: boolean;
}

export type ProofPorts = Pick<Ports, 'log' | 'signatures' | 'evidence' | 'canonicalJson'>;

/** A proof that is to be read. */
export interface WantedProof {
  readonly decision: Decision;
  readonly query: ProofQuery;
}

/**
 * The proof file of a leaf of a decision in the newest log (tlog-proof), with its opening. Its checkpoint is the first
 * with the leaf that a quorum of witnesses had, and stays that; while there is none, the first that was published with it.
 * Null while no published checkpoint has the leaf.
 * @throws Problem RECORD_UNREADABLE
 * Who may read it is the caller's to judge.
 */
export async function readProof(ports: ProofPorts, decision: Decision, query: ProofQuery): Promise<string | null> {
  const [proof = null] = await readProofs(ports, [{ decision, query }], ({ decision: { record_id } }) => {
    throw new Problem('RECORD_UNREADABLE', `What the ${query.leaf} of ${record_id} was logged with cannot be read.`);
  });
  return proof;
}

/**
 * The proofs of `readProof`, in the order of what is wanted. What several of them need is read once.
 * @param unreadable is called for each whose record cannot be read; its proof is null
 */
export async function readProofs(
  ports: ProofPorts,
  wanted: readonly WantedProof[],
  unreadable: (proof: WantedProof) => void,
): Promise<readonly (string | null)[]> {
  const log = await ports.log.newest();
  const placed = log ? await placesOf(ports, log, wanted) : [];
  if (!log || placed.every((place) => place === null)) return wanted.map(() => null);
  const proved = placed.filter((place) => place !== null);
  const leafAt = await leavesAt(
    ports.log,
    log,
    proved.map(({ index }) => index),
  );
  const hashOf = await nodesOfLog(
    ports.log,
    log.log,
    proved.flatMap(({ path }) => proofNodes(path)),
  );
  const sealed = await evidenceOf(ports, proved);
  const salts = await saltsOf(ports.log, proved);
  return placed.map((place) => {
    if (!place) return null;
    const { decision, query, leaves, index, path, note } = place;
    const leaf = leafAt(index);
    try {
      const opening = openingOf(decision, leaves, leaf, query, {
        sealed: sealed.get(decision.record_id),
        agent_salt: salts.get(decision.agent_id),
      });
      return proofFile(ports, opening, { index, path, note }, hashOf);
    } catch (error) {
      if (error instanceof Problem) throw error;
      unreadable(place);
      return null;
    }
  });
}

/** The proof file of a leaf, whatever that is about. */
export function proofFile(
  { canonicalJson }: Pick<Ports, 'canonicalJson'>,
  opening: Opening,
  { index, path, note }: Pick<Place, 'index' | 'path' | 'note'>,
  hashOf: Parameters<typeof proofHashes>[1],
): string {
  const hashes = proofHashes(path, hashOf, sha256);
  return proofText({ extra: openingBytes(opening, canonicalJson), index, hashes, checkpoint: note });
}

interface Place extends WantedProof {
  readonly leaves: DecisionLeaves;
  readonly index: number;
  /** From the leaf to the root of the checkpoint. */
  readonly path: ReturnType<typeof inclusionPath>;
  /** The checkpoint with its signatures. */
  readonly note: string;
}

/** Where the leaves are, and the checkpoints that prove them; null for each without one. */
async function placesOf(
  ports: ProofPorts,
  log: StoredLog,
  wanted: readonly WantedProof[],
): Promise<readonly (Place | null)[]> {
  const ids = new Set(wanted.map(({ decision }) => decision.record_id));
  const leavesOf = await ports.log.leavesOfEach(log.log, [...ids]);
  const indexes = wanted.map(({ decision, query }) => indexOf(leavesOf.get(decision.record_id), query));
  const checkpoints = await ports.log.firstWithEach(
    log.log,
    indexes.filter((index) => index !== undefined),
  );
  const notes = await notesOf(ports, log, [...checkpoints.values()]);
  return wanted.map((proof, n) => {
    const [leaves, index] = [leavesOf.get(proof.decision.record_id), indexes[n]];
    const checkpoint = index === undefined ? undefined : checkpoints.get(index);
    const note = checkpoint && notes(checkpoint);
    if (!leaves || index === undefined || !checkpoint || note === undefined) return null;
    return { ...proof, leaves, index, path: inclusionPath(index, checkpoint.size), note };
  });
}

/**
 * The signed checkpoints of a log, and of those whose leaves it shares, with the first cosignature of each witness.
 * @returns the note of one of them; undefined while it is not signed
 */
export async function notesOf(
  ports: Pick<Ports, 'log' | 'signatures'>,
  { log }: StoredLog,
  checkpoints: readonly ProvingCheckpoint[],
): Promise<(checkpoint: ProvingCheckpoint) => string | undefined> {
  const logs = await ports.log.logsOfTree(log);
  const notes = new Map<string, string>();
  for (const checkpoint of checkpoints) {
    const signer = logs.find((each) => each.log === checkpoint.log);
    if (!signer || notes.has(placeOf(checkpoint))) continue;
    const note = await witnessedCheckpoint(ports, signer, checkpoint, 'first');
    if (note) notes.set(placeOf(checkpoint), noteText(note));
  }
  return (checkpoint) => notes.get(placeOf(checkpoint));
}

function placeOf({ log, size }: ProvingCheckpoint): string {
  return `${log} ${size}`;
}

function indexOf(leaves: DecisionLeaves | undefined, { leaf }: ProofQuery): number | undefined {
  return leaf === 'decision' ? leaves?.index : leaves?.outcome?.index;
}

/** Leaves by their index. */
export async function leavesAt(
  store: Pick<LogStore, 'bundles'>,
  { log, origin }: StoredLog,
  indexes: readonly number[],
) {
  const bundleOf = (index: number) => Math.floor(index / MOST_TILE_WIDTH);
  const bundles = await store.bundles(log, [...new Set(indexes.map(bundleOf))]);
  const leaves = new Map(bundles.map((bundle) => [bundle.index, leavesOfBundle(bundle.leaves)]));
  return (index: number) => {
    const bytes = leaves.get(bundleOf(index))?.[index % MOST_TILE_WIDTH];
    if (!bytes) throw new Error(`The leaf ${index} of ${origin} is not stored.`);
    return leafOf(bytes);
  };
}

async function evidenceOf({ evidence }: ProofPorts, places: readonly Place[]) {
  const shown = places.filter(({ query }) => query.leaf === 'outcome' && query.evidence);
  if (shown.length === 0) return new Map<string, SealedEvidence>();
  return evidence.findEvidenceOfEach(shown.map(({ decision }) => decision.record_id));
}

/** For the owner's part of numbered decisions. */
async function saltsOf(store: LogStore, places: readonly Place[]): Promise<ReadonlyMap<string, string>> {
  const owned = places.filter(({ query, decision }) => query.owner && decision.number !== null);
  return owned.length === 0
    ? new Map()
    : store.agentSalts([...new Set(owned.map(({ decision }) => decision.agent_id))]);
}

function openingOf(
  decision: Decision,
  { public_salt, producer, outcome }: DecisionLeaves,
  leaf: ReturnType<typeof leafOf>,
  query: ProofQuery,
  { sealed, agent_salt }: { readonly sealed: SealedEvidence | undefined; readonly agent_salt: string | undefined },
): Opening {
  if (leaf.t === 'outcome' && outcome) {
    return {
      ...outcomeOpening(decision, outcome, leaf),
      ...(query.evidence && sealed && { evidence: evidenceOpening(sealed, outcome) }),
    };
  }
  return {
    ...decisionOpening(decision, { public_salt: hexOf(public_salt), producer: hexOf(producer) }, leaf),
    ...(query.owner && { owner: ownerOpening(decision, leaf, agent_salt) }),
  };
}

export function decisionOpening(
  decision: PublicDecisionLeaf['decision'],
  { public_salt, producer }: Pick<DecisionOpening, 'public_salt' | 'producer'>,
  leaf: LogLeaf,
): DecisionOpening {
  if (leaf.t !== 'decision' && leaf.t !== 'imported') {
    throw new Error(`${decision.record_id} has a leaf of the type ${leaf.t}.`);
  }
  if (!hasStatement(decision)) throw new Error(`The statement of ${decision.record_id} is gone.`);
  return {
    v: 1,
    leaf: leaf.v === 2 ? leaf : { ...leaf, t: leaf.t },
    commitment: decision.commitment,
    producer,
    public_salt,
    public_statement: publicStatement(decision),
  };
}

function ownerOpening(decision: Decision, { v }: LogLeaf, agent_salt: string | undefined): OwnerOpening {
  const { statement, owner_id, agent_id, number } = decision;
  const owner = { salt: openSalt(decision), statement, owner_id, agent_id };
  // Without the number the producer does not verify, which shows the owner that the record was changed.
  if (v === 1 || number === null || agent_salt === undefined) return owner;
  return { ...owner, number, next_mark: hexOf(markOf(agent_salt, number + 1, sha256)) };
}

export function outcomeOpening(
  { evaluated_at, result_bucket, facts, ...decision }: LoggedGrade,
  { outcome_salt, evidence, shown }: Omit<OutcomeSecrets, 'evidence_salt'>,
  leaf: OutcomeOpening['leaf'],
): OutcomeOpening {
  if (!evaluated_at || !result_bucket || !facts) throw new Error(`The grade of ${decision.record_id} is gone.`);
  const public_outcome = loggedOutcome({ ...decision, evaluated_at, result_bucket, facts }, evidence, shown);
  return { v: 1, leaf, outcome_salt: hexOf(outcome_salt), public_outcome };
}

export function gradeOf(leaf: LogLeaf): Extract<LogLeaf, { readonly t: 'outcome' }> {
  if (leaf.t !== 'outcome') throw new Error(`A grade has a leaf of the type ${leaf.t}.`);
  return leaf;
}

/** With the bars in the order in which the document names them. */
function evidenceOpening({ document, bars }: SealedEvidence, { evidence_salt }: OutcomeSecrets): EvidenceOpening {
  const { path, daily } = JSON.parse(document) as EvidenceDocument;
  const contents = new Map(bars.map(({ digest, content }) => [digest, content]));
  const named = [...new Set([...path.bars, ...daily.bars])];
  return { salt: hexOf(evidence_salt), document, bars: named.flatMap((digest) => contents.get(digest) ?? []) };
}
