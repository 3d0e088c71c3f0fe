import { bytesOfHex, hexOf, Malformed, textOfUtf8, utf8 } from '../encoding.ts';
import type { Sha256, Sha256As } from '../tree/tree.ts';

/** Why a decision has no outcome, or shows none (settled.md section 5). */
export const CLOSING_REASONS = ['rejected', 'data_unavailable', 'quarantined'] as const;
export type ClosingReason = (typeof CLOSING_REASONS)[number];

/** What a leaf of the evidence log says. Digests are 64 lower-case hexadecimal digits; `of` is an index, but that of `continues`. */
export type LogLeaf =
  /** The first leaf of every tree, and no other. `last`: SHA-256 of the last checkpoint of the log before this one. */
  | { readonly t: 'log'; readonly last: string | null; readonly v: 1 }
  /** A submission was accepted: `mark` is that of its number among those of its agent (`markOf`). */
  | { readonly t: 'decision'; readonly c: string; readonly mark: string; readonly v: 2 }
  /** A submission of before there were numbers was accepted, was older than this log, or states a question before its answer. */
  | { readonly t: 'decision' | 'imported' | 'plan'; readonly c: string; readonly v: 1 }
  | { readonly t: 'outcome'; readonly o: string; readonly of: number; readonly v: 1 }
  | { readonly t: 'closed'; readonly of: number; readonly reason: ClosingReason; readonly v: 1 }
  | { readonly t: 'reopened'; readonly of: number; readonly v: 1 }
  | Continues
  /** The head of the audit log, salted; as they are: the SHA256SUMS of a public dataset, the statements about names of an import. */
  | { readonly t: 'snapshot' | 'dataset' | 'names'; readonly sha256: string; readonly v: 1 };

/**
 * From here on the leaves are of another log, which goes on with those that are stored of the log with the origin `of`. That
 * one was signed, or about to be, with up to `size` leaves and this root: where the index of this leaf is smaller, the others
 * were lost.
 */
export interface Continues {
  readonly t: 'continues';
  readonly of: string;
  readonly root: string;
  readonly size: number;
  readonly v: 1;
}

type LeafType = LogLeaf['t'];

/**
 * The bytes of a leaf: its RFC 8785 form. For flat objects of whole numbers, null and ASCII texts that is what
 * JSON.stringify writes when the names are sorted.
 */
export function leafBytes(leaf: LogLeaf): Uint8Array {
  return utf8(leafText(leaf));
}

/** The leaf of these bytes. @throws Malformed for everything that `leafBytes` does not write */
export function leafOf(bytes: Uint8Array): LogLeaf {
  const text = textOfUtf8(bytes);
  const leaf = parsed(text);
  if (!isLeaf(leaf) || leafText(leaf) !== text) {
    throw new Malformed(`${text.slice(0, 200)} is not a leaf.`);
  }
  return leaf;
}

/** Whether these bytes have the form of a leaf, of a type or version that is not known here: a newer release may know it. */
export function isNewerLeaf(bytes: Uint8Array): boolean {
  const text = textOfUtf8(bytes);
  const leaf = parsed(text);
  if (typeof leaf !== 'object' || leaf === null || Array.isArray(leaf)) return false;
  const { t, v } = leaf as Readonly<Record<string, unknown>>;
  if (typeof t !== 'string' || !Number.isSafeInteger(v) || Number(v) < 1) return false;
  if (JSON.stringify(leaf, Object.keys(leaf).sort()) !== text) return false;
  return !isKnown(t, v);
}

/** `leafBytes` before they are bytes. Without a list of names, where they are in order, it takes a third of the time. */
export function leafText(leaf: LogLeaf): string {
  return isSorted(leaf) ? JSON.stringify(leaf) : JSON.stringify(leaf, Object.keys(leaf).sort());
}

function isSorted(leaf: LogLeaf): boolean {
  let last = '';
  for (const name in leaf) {
    if (name < last) return false;
    last = name;
  }
  return true;
}

/** Of the only leaf of version 2. */
const NUMBERED = ['c', 'mark'];

function isKnown(t: string, v: unknown): t is LeafType {
  return Object.hasOwn(FIELDS, t) && (v === 1 || (v === 2 && t === 'decision'));
}

const FIELDS: Readonly<Record<LeafType, readonly string[]>> = {
  log: ['last'],
  decision: ['c'],
  imported: ['c'],
  plan: ['c'],
  outcome: ['o', 'of'],
  closed: ['of', 'reason'],
  reopened: ['of'],
  snapshot: ['sha256'],
  dataset: ['sha256'],
  names: ['sha256'],
  continues: ['of', 'root', 'size'],
};

const isDigest = (value: unknown) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);

const IS_VALID: Readonly<Record<string, (value: unknown) => boolean>> = {
  last: (value) => value === null || isDigest(value),
  c: isDigest,
  o: isDigest,
  of: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  reason: (value) => CLOSING_REASONS.some((reason) => reason === value),
  sha256: isDigest,
  mark: isDigest,
  root: isDigest,
  size: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
};

/** As an origin is: a key name, of printable ASCII alone, so that its JSON is its RFC 8785 form. */
const isOrigin = (value: unknown) => typeof value === 'string' && /^[!-*,-~]{1,255}$/.test(value);

function isLeaf(value: unknown): value is LogLeaf {
  if (typeof value !== 'object' || value === null) return false;
  const { t, v, ...said } = value as Readonly<Record<string, unknown>>;
  if (typeof t !== 'string' || !isKnown(t, v)) return false;
  const expected = v === 2 ? NUMBERED : FIELDS[t];
  const names = Object.keys(said);
  const isValid = (name: string) =>
    t === 'continues' && name === 'of' ? isOrigin(said[name]) : IS_VALID[name]?.(said[name]);
  return names.length === expected.length && expected.every(isValid);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `1 leaf`, `2 leaves`. */
export function countedLeaves(count: number): string {
  return `${count} ${count === 1 ? 'leaf' : 'leaves'}`;
}

/**
 * The mark of a leaf: which decision of its agent it is, for those who know the agent's salt. Everybody else sees that two
 * leaves have different marks, and nothing more.
 * @param agent_salt 32 random bytes of this agent, hex; never shown
 */
export function markOf<Digest>(agent_salt: string, number: number, sha256: Sha256As<Digest>): Digest {
  return sha256('stancebook/mark/1\n', bytesOfHex(agent_salt), String(number));
}

/** What shows who made a numbered decision, without its statement, its salt or its owner; digests and salts are hex. */
export interface NumberedProducer {
  readonly producer_salt: string;
  readonly owner_digest: string;
  readonly agent_id: string;
  readonly number: number;
  /** The mark of the agent's next decision: the log has it, or no further decision of the agent. */
  readonly next_mark: string;
}

/** A numbered decision, with the salt of its commitment, hex. */
interface NumberedDecision extends Pick<NumberedProducer, 'agent_id' | 'number' | 'next_mark'> {
  readonly salt: string;
  readonly owner_id: string;
}

export function numberedProducer(decision: NumberedDecision, sha256: Sha256): NumberedProducer {
  const [salt, owner] = hiddenProducer(decision, sha256);
  const { agent_id, number, next_mark } = decision;
  return { producer_salt: hexOf(salt), owner_digest: hexOf(owner), agent_id, number, next_mark };
}

/** The digest of who made a numbered decision, for its leaf (`decisionDigest`). */
export function numberedProducerDigest(producer: NumberedProducer, sha256: Sha256): Uint8Array {
  return namedDigest([bytesOfHex(producer.producer_salt), bytesOfHex(producer.owner_digest)], producer, sha256);
}

/** `numberedProducerDigest` of `numberedProducer`. */
export function numberedDigest(decision: NumberedDecision, sha256: Sha256): Uint8Array {
  return namedDigest(hiddenProducer(decision, sha256), decision, sha256);
}

type HiddenProducer = readonly [producer_salt: Uint8Array, owner_digest: Uint8Array];

function hiddenProducer({ salt, owner_id }: NumberedDecision, sha256: Sha256): HiddenProducer {
  const own = bytesOfHex(salt);
  return [sha256('stancebook/producer-salt/1\n', own), sha256('stancebook/owner/1\n', own, owner_id)];
}

function namedDigest(
  [salt, owner]: HiddenProducer,
  { agent_id, number, next_mark }: Pick<NumberedProducer, 'agent_id' | 'number' | 'next_mark'>,
  sha256: Sha256,
): Uint8Array {
  return sha256('stancebook/producer/2\n', salt, owner, `${agent_id}/${number}/${next_mark}`);
}
