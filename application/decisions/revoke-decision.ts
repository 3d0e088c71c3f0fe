import type { Ports } from '../ports.ts';
import { noOwnRecord } from './read-own-decision.ts';

/**
 * Hides a record from its owner's default views, and from nothing else: it stays public evidence, and is evaluated and
 * counted as before (interface.md 3.1, settled.md section 1). Doing it again changes nothing.
 * @throws Problem NOT_FOUND, also for another owner's record
 */
export async function revokeDecision(
  { ownerRecords }: Pick<Ports, 'ownerRecords'>,
  owner_id: string,
  record_id: string,
  reason: string | null,
): Promise<void> {
  if (!(await ownerRecords.archive(owner_id, record_id, reason))) throw noOwnRecord(record_id);
}
