import type { CanonicalJson } from '../canonical-json.ts';
import { bytesOfHex, hexOf, Malformed } from './encoding.ts';
import { type LogLeaf, leafBytes, leafOf, type NumberedProducer, numberedProducerDigest } from './leaves/leaf.ts';
import { isHash, isNumber } from './leaves/opening.ts';
import {
  decisionDigest,
  outcomeDigest,
  type PublicOutcome,
  type PublicStatement,
  publicDigest,
} from './leaves/public-statement.ts';
import type { Sha256 } from './tree/tree.ts';

/** The first line of a file with the whole record of an agent (docs/log-format.md). */
export interface RecordHead {
  readonly type: 'record';
  readonly v: 1;
  readonly agent_id: string;
  /** The newest checkpoint of the log, a signed note. */
  readonly checkpoint: string;
}

/** A leaf of that checkpoint. Hashes are base64, those of the leaves and their openings hex. */
export interface RecordLeaf {
  readonly index: number;
  readonly leaf: LogLeaf;
  /** From the leaf to the root of the checkpoint of the first line. */
  readonly path: readonly string[];
  /** The checkpoint of the receipt, a signed note: its cosignatures say when the leaf was there. */
  readonly note: string;
}

/** A line for each decision: who made it. What it says and its grade are there where others see them. */
export interface RecordDecision extends RecordLeaf {
  readonly type: 'decision';
  readonly producer: NumberedProducer;
  readonly commitment: string;
  /** Of a decision that others do not see. */
  readonly public_digest?: string;
  readonly public_salt?: string;
  readonly public_statement?: PublicStatement;
  readonly outcome?: RecordLeaf & { readonly outcome_salt: string; readonly public_outcome: PublicOutcome };
}

/** The last line. */
export interface RecordEnd {
  readonly type: 'complete';
  readonly decisions: number;
  /** Numbered decisions that are older than this log, which imported them without their numbers. */
  readonly imported: number;
  /** Whether the agent has decisions from before there were numbers. */
  readonly earlier: boolean;
}

export interface RecordFile {
  readonly head: RecordHead;
  /** By their numbers. */
  readonly decisions: readonly RecordDecision[];
  readonly end: RecordEnd;
}

/** @throws Malformed for a text that is no such file, or not all of it */
export function recordFileOf(text: string): RecordFile {
  const lines = text.split('\n').filter((each) => each !== '');
  const [head, ...others] = lines.map(objectOf);
  const end = others.pop();
  if (!isHead(head)) throw new Malformed('The first line is not that of the record of an agent.');
  if (!isEnd(end)) throw new Malformed('The file is not whole: its last line is another one. Get it again.');
  if (!others.every(isDecision)) {
    throw new Malformed(
      `Line ${others.findIndex((each) => !isDecision(each)) + 2} is not that of a numbered decision.`,
    );
  }
  return { head, decisions: others.toSorted((a, b) => a.producer.number - b.producer.number), end };
}

/** The bytes of a leaf that a line names. @throws Malformed for none */
export function leafOfLine({ leaf }: Pick<RecordLeaf, 'leaf'>): Uint8Array {
  const bytes = leafBytes(leaf);
  leafOf(bytes);
  return bytes;
}

/** Whether a line has what its leaf commits to, and its outcome too. */
export function opensRecordLeaf(line: RecordDecision, canonicalJson: CanonicalJson, sha256: Sha256): boolean {
  const { leaf, commitment, producer, outcome } = line;
  if (leaf.v !== 2) return false;
  const digests = {
    commitment: bytesOfHex(commitment),
    publicDigest: publicDigestOf(line, canonicalJson, sha256),
    producer: numberedProducerDigest(producer, sha256),
  };
  if (hexOf(decisionDigest(digests, sha256)) !== leaf.c) return false;
  if (!outcome) return true;
  if (outcome.leaf.t !== 'outcome' || outcome.leaf.of !== line.index) return false;
  const { outcome_salt, public_outcome } = outcome;
  return hexOf(outcomeDigest(bytesOfHex(outcome_salt), public_outcome, canonicalJson, sha256)) === outcome.leaf.o;
}

function publicDigestOf(line: RecordDecision, canonicalJson: CanonicalJson, sha256: Sha256): Uint8Array {
  const { public_salt, public_statement, public_digest } = line;
  if (public_salt === undefined || public_statement === undefined) return bytesOfHex(String(public_digest));
  return publicDigest(bytesOfHex(public_salt), public_statement, canonicalJson, sha256);
}

type Members = Readonly<Record<string, unknown>>;

function objectOf(text: string, line: number): Members {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Members;
  } catch {
    // The message below says it.
  }
  throw new Malformed(`Line ${line + 1} is no JSON object.`);
}

const isText = (value: unknown) => typeof value === 'string';
const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0;

function isHead(value: Members | undefined): value is Members & RecordHead {
  return value?.type === 'record' && value.v === 1 && isText(value.agent_id) && isText(value.checkpoint);
}

function isEnd(value: Members | undefined): value is Members & RecordEnd {
  const { type, decisions, imported, earlier } = value ?? {};
  return type === 'complete' && isCount(decisions) && isCount(imported) && typeof earlier === 'boolean';
}

function isDecision(value: Members): value is Members & RecordDecision {
  const { type, commitment, producer, public_digest, public_salt, public_statement, outcome } = value;
  const isShown =
    public_digest === undefined ? isHash(public_salt) && isObject(public_statement) : isHash(public_digest);
  const isWhole = type === 'decision' && isPlaced(value) && isHash(commitment) && isProducer(producer);
  return isWhole && isShown && (outcome === undefined || isOutcome(outcome));
}

function isPlaced({ index, leaf, path, note }: Members): boolean {
  return isCount(index) && isObject(leaf) && Array.isArray(path) && path.every(isText) && isText(note);
}

function isOutcome(value: unknown): boolean {
  return isObject(value) && isPlaced(value) && isHash(value.outcome_salt) && isObject(value.public_outcome);
}

function isProducer(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { producer_salt, owner_digest, agent_id, number, next_mark } = value;
  return [producer_salt, owner_digest, next_mark].every(isHash) && isText(agent_id) && isNumber(number);
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
