import type { Decision } from '../../domain/decisions/decision.ts';
import { isPublic } from '../../domain/decisions/visibility.ts';
import { Problem } from '../../domain/problem.ts';
import { noVisibleRecord } from '../decisions/read-decision.ts';
import type { Ports } from '../ports.ts';
import { type ProofPorts, type ProofQuery, readProof } from './read-proof.ts';

type ReadPorts = ProofPorts & Pick<Ports, 'decisions'>;

/**
 * The owner's proof of a leaf of a decision, in every state of it.
 * @throws Problem NOT_FOUND for a record that is not the owner's, or has no grade; NOT_LOGGED_YET; SERVICE_UNAVAILABLE
 * where no log is kept
 */
export async function readReceipt(
  ports: ReadPorts,
  record_id: string,
  owner_id: string,
  query: ProofQuery,
): Promise<string> {
  const [decision] = await ports.decisions.find([record_id], owner_id);
  if (decision?.owner_id !== owner_id) throw noVisibleRecord(record_id);
  if (query.leaf === 'outcome' && decision.evaluated_at === null) {
    throw new Problem('NOT_FOUND', `The record ${record_id} has no grade.`, { suggestion: 'Ask for leaf=decision.' });
  }
  const proof = await readProof(ports, decision, query);
  if (proof !== null) return proof;
  if ((await ports.log.newest()) === null) throw noLogKept();
  throw new Problem('NOT_LOGGED_YET', `The ${query.leaf} of ${record_id} is not in a signed checkpoint yet.`);
}

export function noLogKept(): Problem {
  return new Problem('SERVICE_UNAVAILABLE', 'This service keeps no evidence log.', {
    suggestion: 'Waiting does not help; the operator has to give a worker the key of a log.',
  });
}

/**
 * The proof of a leaf of a public decision, for everybody, unless the log is not public. It contains evidence only where the operator lets everybody have
 * bars, and where the evidence shows no time more exactly than other public replies do.
 * @throws Problem NOT_FOUND, in the same words whether it is unknown, not public or not logged yet
 */
export async function readPublicProof(
  ports: ReadPorts & Pick<Ports, 'settings'>,
  record_id: string,
  { leaf, evidence }: Omit<ProofQuery, 'owner'>,
): Promise<string> {
  const [decision] = await ports.decisions.find([record_id], null);
  if (!decision || !isPublic(decision) || !ports.settings.publicLog) throw noVisibleRecord(record_id);
  const shows = evidence && ports.settings.redistributeBars && hidesReceipt(decision);
  const proof = await readProof(ports, decision, { leaf, owner: false, evidence: shows });
  if (proof === null) throw noVisibleRecord(record_id);
  return proof;
}

/**
 * Evidence has the end of the window and the time of the grade to the millisecond. The first shows the receipt of a realtime
 * decision unless the window ends with a session; the second that of a retroactive one, which is graded at once.
 */
function hidesReceipt({ submission_origin, horizon_kind }: Decision): boolean {
  return submission_origin === 'realtime' && horizon_kind === 'trading_days';
}

/**
 * The public decision whose leaf has this index in the newest log.
 * @throws Problem NOT_FOUND for every other index, and for all where the log is not public
 */
export async function readLoggedRecord(
  { decisions, log: store, settings }: Pick<Ports, 'decisions' | 'log' | 'settings'>,
  index: number,
): Promise<{ readonly record_id: string }> {
  const log = settings.publicLog ? await store.newest() : null;
  const record_id = log && (await store.recordAt(log.log, index));
  const [decision] = record_id ? await decisions.findStatus([record_id], null) : [];
  if (decision && isPublic(decision)) return { record_id: decision.record_id };
  throw new Problem('NOT_FOUND', `No public record has the leaf ${index}.`);
}
