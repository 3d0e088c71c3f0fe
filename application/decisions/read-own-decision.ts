import { type OwnerState, ownerState } from '../../domain/decisions/views/state-view.ts';
import { ownerDetail } from '../../domain/decisions/views/views.ts';
import { Problem } from '../../domain/problem.ts';
import { WrittenReply } from '../json-text.ts';
import type { Ports } from '../ports.ts';
import { gapOf } from './price-gaps.ts';
import { detailForOthers } from './read-decision.ts';
import { type DetailWriter, findReply, replyOf } from './stored-detail.ts';

const PAGE = 200;

/**
 * One record of the owner's own, in full (interface.md 4.3).
 * @throws Problem NOT_FOUND, also for another owner's record and, unless they are included, for an archived one
 */
export async function readOwnDecision(
  ports: Pick<Ports, 'replies' | 'settings' | 'marketData' | 'barFiles' | 'clock'>,
  writer: DetailWriter,
  owner_id: string,
  record_id: string,
  includeArchived: boolean,
): Promise<WrittenReply> {
  const found = await findReply(ports, writer, record_id, owner_id);
  // The owner's reply about an archived record is not stored.
  if (found?.reply && found.form === 'owner') return new WrittenReply(found.reply);
  const decision = owned(owner_id, record_id, found && !found.reply ? [found.decision] : []);
  if (decision.archived_at === null || includeArchived) {
    const detail = ownerDetail(decision, await gapOf(ports, decision));
    return replyOf(ports, writer, detail, found?.reply === null ? found.basis : null);
  }
  throw new Problem('NOT_FOUND', `The record ${record_id} is archived.`, { suggestion: 'Send include_archived=true.' });
}

/**
 * The state of one record of the owner's own, archived or not.
 * @throws Problem NOT_FOUND, also for another owner's record
 */
export async function readOwnState(
  ports: Pick<Ports, 'decisions' | 'marketData' | 'barFiles' | 'clock'>,
  owner_id: string,
  record_id: string,
): Promise<OwnerState> {
  const found = owned(owner_id, record_id, await ports.decisions.findStatus([record_id], owner_id));
  return ownerState(found, await ports.clock.lastSeen(), await gapOf(ports, found));
}

/** The refusal for a record that is not the owner's. */
export function noOwnRecord(record_id: string): Problem {
  const suggestion = 'Check the id; GET /api/v1/owner/decisions lists your records.';
  return new Problem('NOT_FOUND', `You have no record ${record_id}.`, { suggestion });
}

function owned<Found extends { readonly owner_id: string }>(
  owner_id: string,
  record_id: string,
  [decision]: readonly Found[],
): Found {
  if (decision?.owner_id !== owner_id) throw noOwnRecord(record_id);
  return decision;
}

type CheckPorts = Pick<Ports, 'replies' | 'decisions' | 'settings'>;

/**
 * Compares each stored reply that readers could get now with the one that would be made now.
 * @param report is called with each fault, in words
 */
export async function checkReplies(
  ports: CheckPorts,
  writer: DetailWriter,
  report: (fault: string) => void,
): Promise<void> {
  let after: string | null = null;
  do {
    const ids: readonly string[] = await ports.replies.recordsAfter(after, PAGE);
    for (const { record_id, owner_id } of await ports.decisions.find(ids, null)) {
      for (const viewer of [owner_id, null]) {
        if (await isOutdated(ports, writer, record_id, viewer)) {
          report(
            `${record_id}: the stored reply for ${viewer === null ? 'others' : 'its owner'} is not the one of now`,
          );
        }
      }
    }
    after = ids.at(-1) ?? null;
  } while (after !== null);
}

/** Whether a reply is stored that is not the one that would be made now; a change meanwhile does not count. */
export async function isOutdated(
  ports: CheckPorts,
  writer: DetailWriter,
  record_id: string,
  viewer: string | null,
): Promise<boolean> {
  const stored = await storedText(ports, writer, record_id, viewer);
  if (stored === null) return false;
  const [decision] = await ports.decisions.find([record_id], viewer);
  const isOwn = decision?.owner_id === viewer;
  const detail = decision && (isOwn ? ownerDetail(decision) : detailForOthers(ports, decision));
  if (detail && writer.write(detail) === stored) return false;
  return (await storedText(ports, writer, record_id, viewer)) === stored;
}

async function storedText(
  ports: CheckPorts,
  writer: DetailWriter,
  record_id: string,
  viewer: string | null,
): Promise<string | null> {
  const found = await findReply(ports, writer, record_id, viewer);
  return found?.reply ? new TextDecoder().decode(found.reply) : null;
}
