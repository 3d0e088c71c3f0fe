import { DETAIL_WRITER } from '../../adapters/http/shapes/decisions/graph.ts';
import { detailForOthers } from '../../application/decisions/read-decision.ts';
import { isOutdated } from '../../application/decisions/read-own-decision.ts';
import type { Ports } from '../../application/ports.ts';
import type { Decision } from '../../domain/decisions/decision.ts';
import type { StoredReplies } from '../../domain/decisions/views/decision-reader.ts';
import { ownerDetail } from '../../domain/decisions/views/views.ts';

/**
 * The same replies, where the first read of a record is answered by its stored reply as well, and each stored reply is
 * compared with the one that is made at that moment: a test that reads a record over HTTP fails when they differ.
 */
export function comparedReplies(ports: Ports): StoredReplies {
  const { replies } = ports;
  return {
    async find(record_id, viewer, edition) {
      const source = await replies.find(record_id, viewer, edition);
      const isMissed = source?.reply === null && source.basis !== null;
      if (isMissed) await replies.keep(source.basis, textOf(ports, source.decision, viewer));
      const found = isMissed ? await replies.find(record_id, viewer, edition) : source;
      if (found?.reply && (await isOutdated(ports, DETAIL_WRITER, record_id, viewer))) {
        throw new Error(`The stored reply about ${record_id} is not the one of now: ${Buffer.from(found.reply)}`);
      }
      return found;
    },
    keep: (basis, text) => replies.keep(basis, text),
    recordsAfter: (after, limit) => replies.recordsAfter(after, limit),
    prune: () => replies.prune(),
  };
}

function textOf(ports: Ports, decision: Decision, viewer: string | null): string {
  const detail = decision.owner_id === viewer ? ownerDetail(decision) : detailForOthers(ports, decision);
  return detail === null ? '' : DETAIL_WRITER.write(detail);
}
