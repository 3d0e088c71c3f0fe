import { ownerDetail } from '../../domain/decisions/views/views.ts';
import type { Ports } from '../ports.ts';
import { detailForOthers } from './read-decision.ts';
import { type DetailWriter, findReply } from './stored-detail.ts';

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

const PAGE = 200;

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
