import { equalBytes, Malformed, numberOfDecimal } from '../encoding.ts';
import type { Sha256 } from '../tree/tree.ts';
import { COSIGNATURE, ED25519, ML_DSA_44, type VerifierKey, verifierKeyOf } from './note.ts';

/** Which logs are known, and which cosignatures a checkpoint of one needs (tlog-policy). */
export interface LogPolicy {
  readonly logs: readonly KnownLog[];
  readonly witnesses: readonly Witness[];
  readonly groups: readonly WitnessGroup[];
  /** The name of a witness or a group; null needs no cosignature. */
  readonly quorum: string | null;
}

export interface KnownLog {
  /** Its name is the origin of the log. */
  readonly key: VerifierKey;
  readonly url: string | null;
}

export interface Witness extends KnownLog {
  /** Only the policy itself uses it. */
  readonly name: string;
}

/** It has witnessed what at least `threshold` of its members have. */
export interface WitnessGroup {
  readonly name: string;
  readonly threshold: number;
  readonly members: readonly string[];
}

/** Whether witnesses of these names are a quorum (tlog-policy, "Defining a witness group"). */
export function isQuorum({ quorum, groups }: LogPolicy, cosigned: ReadonlySet<string>): boolean {
  return quorum === null || hasWitnessed(quorum);

  function hasWitnessed(name: string): boolean {
    const group = groups.find((each) => each.name === name);
    return group ? group.members.filter(hasWitnessed).length >= group.threshold : cosigned.has(name);
  }
}

/** The policy of a file. @throws Malformed with the number of the line */
export function policyOf(text: string, sha256: Sha256): LogPolicy {
  if (text.startsWith('{'))
    throw new Malformed('The policy is JSON, as a refusal of a service is: fetch the file again.');
  const draft: PolicyDraft = { logs: [], witnesses: [], groups: [], quorums: [], sha256 };
  for (const [i, line] of text.split('\n').entries()) {
    try {
      readLine(line, draft);
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      throw new Malformed(`Line ${i + 1} of the policy: ${error.message}`);
    }
  }
  const [quorum, ...others] = draft.quorums;
  if (quorum === undefined || others.length > 0)
    throw new Malformed('The policy does not have exactly one quorum line.');
  const { logs, witnesses, groups } = draft;
  return { logs, witnesses, groups, quorum: quorum === NO_QUORUM ? null : quorum };
}

const NO_QUORUM = 'none';

interface PolicyDraft {
  readonly logs: KnownLog[];
  readonly witnesses: Witness[];
  readonly groups: WitnessGroup[];
  readonly quorums: string[];
  readonly sha256: Sha256;
}

function readLine(line: string, draft: PolicyDraft): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: tlog-policy allows tab and newline alone.
  if (/[\x00-\x08\x0b-\x1f\x7f]/.test(line)) throw new Malformed('A control character is not allowed.');
  const [keyword, ...items] = line.split(/[ \t]+/).filter((item) => item !== '');
  if (keyword === undefined || keyword.startsWith('#')) return;
  if (keyword === 'log') readLog(items, draft);
  else if (keyword === 'witness') readWitness(items, draft);
  else if (keyword === 'group') readGroup(items, draft);
  else if (keyword === 'quorum') readQuorum(items, draft);
  else throw new Malformed(`${JSON.stringify(keyword)} is none of log, witness, group and quorum.`);
}

function readLog([vkey = '', url, ...more]: readonly string[], { logs, sha256 }: PolicyDraft): void {
  if (more.length > 0) throw new Malformed('A log has a vkey and at most a URL.');
  logs.push({ key: newKey(vkey, [ED25519, ML_DSA_44], logs, sha256), url: url ?? null });
}

function readWitness([name, vkey = '', url, ...more]: readonly string[], draft: PolicyDraft): void {
  if (more.length > 0) throw new Malformed('A witness has a name, a vkey and at most a URL.');
  const { witnesses, sha256 } = draft;
  const key = newKey(vkey, [COSIGNATURE, ML_DSA_44], witnesses, sha256);
  witnesses.push({ name: newName(name, draft), key, url: url ?? null });
}

function readGroup([name, threshold = '', ...members]: readonly string[], draft: PolicyDraft): void {
  const taken = new Set(draft.groups.flatMap((group) => group.members));
  for (const member of members) {
    if (!isDefined(member, draft)) throw new Malformed(`${JSON.stringify(member)} is not defined above.`);
    if (taken.has(member)) throw new Malformed(`${JSON.stringify(member)} is a member of a group already.`);
    taken.add(member);
  }
  const least = threshold === 'all' ? members.length : threshold === 'any' ? 1 : numberOfDecimal(threshold);
  if (least < 1 || least > members.length)
    throw new Malformed(`${threshold} of ${members.length} members is impossible.`);
  draft.groups.push({ name: newName(name, draft), threshold: least, members });
}

function readQuorum([name = '', ...more]: readonly string[], draft: PolicyDraft): void {
  if (more.length > 0) throw new Malformed('A quorum has one name.');
  if (name !== NO_QUORUM && !isDefined(name, draft))
    throw new Malformed(`${JSON.stringify(name)} is not defined above.`);
  draft.quorums.push(name);
}

function newName(name: string | undefined, draft: PolicyDraft): string {
  if (name === undefined || name === NO_QUORUM) throw new Malformed(`A name is missing, or is ${NO_QUORUM}.`);
  if (isDefined(name, draft)) throw new Malformed(`${JSON.stringify(name)} is defined above.`);
  return name;
}

function isDefined(name: string, { witnesses, groups }: PolicyDraft): boolean {
  return [...witnesses, ...groups].some((each) => each.name === name);
}

/** Two vkeys of one public key are duplicates, whatever their names (tlog-policy, "Public key representation"). */
function newKey(vkey: string, types: readonly number[], others: readonly KnownLog[], sha256: Sha256): VerifierKey {
  const key = verifierKeyOf(vkey, sha256);
  if (!types.includes(key.type)) throw new Malformed(`The key ${key.name} has the signature type ${key.type}.`);
  if (others.some((other) => equalBytes(other.key.publicKey, key.publicKey))) {
    throw new Malformed(`The key ${key.name} is listed twice.`);
  }
  return key;
}
