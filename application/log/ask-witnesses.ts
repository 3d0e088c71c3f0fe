import { LOG } from '../../domain/limits.ts';
import { numberOfDecimal } from '../../domain/log/encoding.ts';
import { countedLeaves } from '../../domain/log/leaves/leaf.ts';
import type { StoredCheckpoint, StoredLog } from '../../domain/log/log-store.ts';
import { addCheckpointText } from '../../domain/log/notes/checkpoint.ts';
import type { LogWitnesses } from '../../domain/log/notes/log-key.ts';
import {
  COSIGNATURE,
  checkSignatures,
  type NoteSignature,
  type SignedNote,
  signaturesOf,
} from '../../domain/log/notes/note.ts';
import { isQuorum, type LogPolicy, type Witness } from '../../domain/log/notes/policy.ts';
import type { WitnessReply, WitnessReport } from '../../domain/log/notes/signature-store.ts';
import { consistencyPath, proofHashes, proofNodes } from '../../domain/log/tree/proof.ts';
import type { Millis } from '../../domain/time.ts';
import { ed25519Verify } from '../ed25519.ts';
import type { Ports } from '../ports.ts';
import { sha256 } from '../sha256.ts';
import { nodesOfLog } from './append-batch.ts';
import { signedCheckpoint } from './witness-checkpoint.ts';

export type WitnessPorts = Pick<Ports, 'transaction' | 'clock' | 'log' | 'signatures'>;

/** What the witnesses of a policy say of a checkpoint. */
export interface WitnessRound {
  /** Those that cosigned it are a quorum. */
  readonly met: boolean;
  /** Why a witness did not cosign it, by the name that the policy uses. */
  readonly missing: ReadonlyMap<string, string>;
  /** The witnesses that know another tree than ours, or a larger one; one is enough to stop. */
  readonly refusing: readonly string[];
}

/**
 * Asks the witnesses of a policy, all at once and for 10 s at most, to cosign a signed checkpoint (tlog-witness), and stores
 * what they answer. A cosignature counts when the policy's key verifies it.
 * @param freshFor a witness that cosigned the same checkpoint this recently is not asked again
 */
export async function askWitnesses(
  ports: WitnessPorts,
  { policy, client }: LogWitnesses,
  log: StoredLog,
  checkpoint: StoredCheckpoint,
  freshFor: Millis,
): Promise<WitnessRound> {
  const note = await noteToSend(ports, log, checkpoint);
  const now = await ports.clock.now();
  const before = await ports.signatures.reports(log.log);
  const signal = AbortSignal.timeout(LOG.witnessPatience);
  const asked = policy.witnesses.map(async (witness): Promise<readonly [Witness, Answer]> => {
    const report = reportOf(before, witness);
    if (isFresh(report, checkpoint, now, freshFor)) return [witness, { report }];
    const send = (body: string) => client.addCheckpoint(witness.url ?? '', body, signal);
    return [witness, await ask({ ports, log, checkpoint, note, now, report }, witness, send)];
  });
  const answers = await Promise.all(asked);
  const met = isQuorum(
    policy,
    new Set(answers.flatMap(([{ name }, { missing }]) => (missing === undefined ? [name] : []))),
  );
  await store(ports, log, checkpoint, answers, met && policy.quorum !== null);
  return {
    met,
    missing: new Map(answers.flatMap(([{ name }, { missing }]) => (missing === undefined ? [] : [[name, missing]]))),
    refusing: answers.flatMap(([{ name }, { report }]) => (report.refused ? [name] : [])),
  };
}

/** The witnesses of a policy that refused a checkpoint of a log, and did not cosign one since. */
export async function refusingWitnesses(
  { signatures }: Pick<Ports, 'signatures'>,
  { witnesses }: LogPolicy,
  { log }: StoredLog,
): Promise<readonly string[]> {
  const reports = await signatures.reports(log);
  return witnesses.filter((witness) => reportOf(reports, witness).refused).map(({ name }) => name);
}

/** The report after a question, and why there is no cosignature of the checkpoint. */
interface Answer {
  readonly report: WitnessReport;
  readonly missing?: string;
  readonly cosignature?: NoteSignature;
}

interface Question {
  readonly ports: WitnessPorts;
  readonly log: StoredLog;
  readonly checkpoint: StoredCheckpoint;
  readonly note: SignedNote;
  readonly now: Date;
  readonly report: WitnessReport;
}

/** With the signatures of the log alone. */
async function noteToSend({ signatures }: WitnessPorts, log: StoredLog, checkpoint: StoredCheckpoint) {
  const note = signedCheckpoint(log, checkpoint);
  if (note === null) throw new Error(`The checkpoint of ${countedLeaves(checkpoint.size)} is not signed.`);
  const further = await signatures.signatures(log.log, checkpoint.size);
  return { ...note, signatures: [...note.signatures, ...further.filter(({ name }) => name === log.origin)] };
}

function reportOf(reports: readonly WitnessReport[], { key: { name, id } }: Witness): WitnessReport {
  const none = { name, id, size: 0, signature: null, cosigned_at: null, refused: false };
  return reports.find((each) => each.name === name && each.id === id) ?? none;
}

function isFresh(
  { size, signature, cosigned_at, refused }: WitnessReport,
  checkpoint: StoredCheckpoint,
  now: Date,
  freshFor: Millis,
): boolean {
  if (refused || signature === null || size !== checkpoint.size || cosigned_at === null) return false;
  return now.getTime() - cosigned_at.getTime() < freshFor;
}

/** It may quote what the witness sent. */
const LONGEST_REASON = 100;

/** More conflicts in a row are no progress. */
const MOST_REQUESTS = 3;

async function ask(
  question: Question,
  { key, url }: Witness,
  send: (body: string) => Promise<WitnessReply>,
): Promise<Answer> {
  const { checkpoint, note, now, report } = question;
  if (url === null) return { report, missing: 'the policy has no URL of it' };
  if (key.type !== COSIGNATURE) return { report, missing: 'its type of signature cannot be verified here' };
  try {
    let oldSize = Math.min(report.size, checkpoint.size);
    for (let i = 0; i < MOST_REQUESTS; i += 1) {
      const reply = await send(addCheckpointText({ oldSize, hashes: await proofFrom(oldSize, question), note }));
      if (reply.status === 200) {
        const cosignature = await cosignatureIn(reply, note, { key });
        const { signature } = cosignature;
        return {
          report: { ...report, size: checkpoint.size, signature, cosigned_at: now, refused: false },
          cosignature,
        };
      }
      if (reply.status === 422) return { report: { ...report, refused: true }, missing: 'it knows another tree' };
      if (reply.status !== 409) return { report, missing: `it answers ${reply.status}` };
      oldSize = sizeIn(reply);
      if (oldSize > checkpoint.size) return await afterLarger(question, oldSize);
    }
    return { report, missing: `it answers 409 ${MOST_REQUESTS} times` };
  } catch (error) {
    return { report, missing: (error instanceof Error ? error.message : String(error)).slice(0, LONGEST_REASON) };
  }
}

async function proofFrom(oldSize: number, { ports, log, checkpoint }: Question): Promise<readonly Uint8Array[]> {
  const path = consistencyPath(oldSize, checkpoint.size);
  return proofHashes(path, await nodesOfLog(ports.log, log.log, proofNodes(path)), sha256);
}

/** @throws Error when it does not verify */
async function cosignatureIn({ body }: WitnessReply, { text }: SignedNote, { key }: Pick<Witness, 'key'>) {
  const { valid, invalid } = await checkSignatures({ text, signatures: signaturesOf(body) }, [key], ed25519Verify);
  const [first] = valid;
  if (!first || invalid.length > 0) throw new Error('its cosignature does not verify');
  return first.line;
}

/** @throws Error for a conflict that names no size */
function sizeIn({ type, body }: WitnessReply): number {
  if (type !== 'text/x.tlog.size' || !body.endsWith('\n')) throw new Error('it answers 409 without a size');
  return numberOfDecimal(body.slice(0, -1));
}

/** Another worker may have appended, signed and asked since; only a size that is not stored is a reason to stop. */
async function afterLarger({ ports, log, report }: Question, size: number): Promise<Answer> {
  const stored = (await ports.log.latest(log.log))?.size ?? 0;
  if (size <= stored) return { report, missing: `it has cosigned ${countedLeaves(size)} already` };
  return {
    report: { ...report, refused: true },
    missing: `it knows ${countedLeaves(size)}; ${stored} ${stored === 1 ? 'is' : 'are'} stored`,
  };
}

function store(
  { transaction }: WitnessPorts,
  { log }: StoredLog,
  { size }: StoredCheckpoint,
  answers: readonly (readonly [Witness, Answer])[],
  met: boolean,
): Promise<void> {
  return transaction(async (stores) => {
    await stores.log.lock();
    for (const [, { report, cosignature }] of answers) {
      if (cosignature) await stores.signatures.addSignature(log, size, cosignature);
      if (cosignature || report.refused) await stores.signatures.report(log, report);
    }
    if (met) await stores.signatures.meetQuorum(log, size);
  });
}
