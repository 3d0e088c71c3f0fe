import type { CanonicalJson } from '../../canonical-json.ts';
import { Malformed, textOfUtf8, utf8 } from '../encoding.ts';
import { type LogLeaf, leafBytes, leafOf, type NumberedProducer } from './leaf.ts';
import type { PublicOutcome, PublicStatement } from './public-statement.ts';

/**
 * What shows the content of a leaf: the extra data of a proof, as an RFC 8785 document. Salts and digests are 64
 * lower-case hexadecimal digits.
 */
export type Opening = DecisionOpening | OutcomeOpening | PlanOpening;

export interface DecisionOpening {
  readonly v: 1;
  readonly leaf: DecisionLeaf;
  readonly commitment: string;
  /** The digest alone: it opens only with the salt. */
  readonly producer: string;
  readonly public_salt: string;
  readonly public_statement: PublicStatement;
  /** For the owner alone, on demand. */
  readonly owner?: OwnerOpening;
}

export type DecisionLeaf =
  | Extract<LogLeaf, { readonly v: 2 }>
  | { readonly t: 'decision' | 'imported'; readonly c: string; readonly v: 1 };

/** Number and mark are those of a leaf of version 2. */
export interface OwnerOpening extends Partial<Pick<NumberedProducer, 'number' | 'next_mark'>> {
  readonly salt: string;
  readonly statement: string;
  readonly owner_id: string;
  readonly agent_id: string;
}

export interface OutcomeOpening {
  readonly v: 1;
  readonly leaf: LogLeaf & { readonly t: 'outcome' };
  readonly outcome_salt: string;
  readonly public_outcome: PublicOutcome;
  /** For the owner on demand, and for others where the operator may redistribute it. */
  readonly evidence?: EvidenceOpening;
}

export interface PlanOpening {
  readonly v: 1;
  readonly leaf: LogLeaf & { readonly t: 'plan' };
  readonly salt: string;
  /** The RFC 8785 form of a `PlanStatement`. */
  readonly statement: string;
  /** The digest alone: it shows nobody who does not know the ids. */
  readonly producer: string;
  /** On demand. */
  readonly owner?: Pick<OwnerOpening, 'owner_id' | 'agent_id'>;
}

/** What an outcome was computed from: `evidenceDigest` of salt and document is the `evidence` of the public outcome. */
export interface EvidenceOpening {
  readonly salt: string;
  /** The `EvidenceDocument`, as it is stored. */
  readonly document: string;
  /** The texts of bars that the document names by their SHA-256 (`barText`), each once: path bars, then daily bars. */
  readonly bars: readonly string[];
}

export function openingBytes(opening: Opening, canonicalJson: CanonicalJson): Uint8Array {
  return utf8(canonicalJson(opening));
}

/** An opening of an outcome but for its facts. */
export type WithoutFacts = Omit<OutcomeOpening, 'public_outcome'> & {
  readonly public_outcome: Omit<PublicOutcome, 'outcome'>;
};

/** The JSON of an opening of an outcome. @param facts in JSON, which is not parsed */
export function textWithFacts({ public_outcome, ...opening }: WithoutFacts, facts: string): string {
  // The text ends with the braces of the last member and of the opening.
  return `${JSON.stringify({ ...opening, public_outcome }).slice(0, -2)},"outcome":${facts}}}`;
}

/**
 * The opening of these bytes. Its public statement or outcome may be any object: only its digest says whether it is the
 * right one.
 * @throws Malformed for anything that is not an opening in RFC 8785 form
 */
export function openingOf(bytes: Uint8Array, canonicalJson: CanonicalJson): Opening {
  const text = textOfUtf8(bytes);
  const sent = canonicalValue(text, canonicalJson);
  if (!isOpening(sent)) throw new Malformed('The extra data is not an opening in RFC 8785 form.');
  leafOf(leafBytes(sent.leaf));
  return sent;
}

/** The value of a text in RFC 8785 form; undefined for any other text. */
function canonicalValue(text: string, canonicalJson: CanonicalJson): unknown {
  try {
    const value = JSON.parse(text);
    return canonicalJson(value) === text ? value : undefined;
  } catch {
    // Not JSON, or with half of a surrogate pair, which RFC 8785 cannot express.
    return undefined;
  }
}

const isText = (value: unknown) => typeof value === 'string';
export const isNumber = (value: unknown) => Number.isSafeInteger(value) && Number(value) > 0;
export const isHash = (value: unknown) => isText(value) && /^[0-9a-f]{64}$/.test(String(value));
const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
const OWNER = { salt: isHash, statement: isText, owner_id: isText, agent_id: isText };
const isOwner = (value: unknown) => hasMembers(value, OWNER);
const isNumberedOwner = (value: unknown) => hasMembers(value, { ...OWNER, number: isNumber, next_mark: isHash });

const isProducer = (value: unknown) => hasMembers(value, { owner_id: isText, agent_id: isText });

const isEvidence = (value: unknown) =>
  hasMembers(value, { salt: isHash, document: isText, bars: (bars) => Array.isArray(bars) && bars.every(isText) });

const DECISION = { v: isOne, commitment: isHash, producer: isHash, public_salt: isHash, public_statement: isObject };
const OUTCOME = { v: isOne, leaf: isLeafOf('outcome'), outcome_salt: isHash, public_outcome: isObject };

const PLAN = { v: isOne, leaf: isLeafOf('plan'), salt: isHash, statement: isText, producer: isHash };

function isOpening(value: unknown): value is Opening {
  const decision = { ...DECISION, leaf: isLeafOf('decision', 'imported') };
  const forms = [
    ...[OUTCOME, { ...OUTCOME, evidence: isEvidence }],
    ...[decision, { ...decision, owner: isOwner }, { ...decision, owner: isNumberedOwner }],
    ...[PLAN, { ...PLAN, owner: isProducer }],
  ];
  return forms.some((form) => hasMembers(value, form));
}

function isOne(value: unknown): boolean {
  return value === 1;
}

function isLeafOf(...types: readonly string[]): (value: unknown) => boolean {
  return (value) => isObject(value) && types.includes((value as { readonly t: string }).t);
}

/** Whether a value is an object of exactly these members, each valid. */
function hasMembers(value: unknown, members: Readonly<Record<string, (value: unknown) => boolean>>): boolean {
  if (!isObject(value)) return false;
  const entries = Object.entries(value as object);
  return (
    entries.length === Object.keys(members).length &&
    entries.every(([name, each]) => Object.hasOwn(members, name) && members[name]?.(each))
  );
}
