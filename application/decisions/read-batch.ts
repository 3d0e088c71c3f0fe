import type { PublicDetail } from '../../domain/decisions/views/views.ts';
import { isPublic } from '../../domain/decisions/visibility.ts';
import { RECORD_ID } from '../../domain/identifiers.ts';
import type { Ports } from '../ports.ts';
import { detailForOthers } from './read-decision.ts';

/** One item of a batch, in the caller's order (settled.md section 5). */
export type BatchItem =
  | { readonly status: 'found'; readonly record_id: string; readonly decision: PublicDetail }
  | {
      readonly status: 'not_visible';
      readonly record_id: string;
      readonly reason: 'does_not_exist' | 'not_public' | 'malformed';
    };

/**
 * Up to 32 records in their public form. Only the owner of a record sees that it is `not_public`; for others it does
 * not exist.
 */
export async function readBatch(ports: Ports, record_ids: readonly string[], viewer: string): Promise<BatchItem[]> {
  const wellFormed = [...new Set(record_ids)].filter((id) => RECORD_ID.test(id));
  const found = wellFormed.length > 0 ? await ports.decisions.find(wellFormed, null) : [];
  const byId = new Map(found.map((decision) => [decision.record_id, decision]));
  return record_ids.map((record_id): BatchItem => {
    if (!RECORD_ID.test(record_id)) return { status: 'not_visible', record_id, reason: 'malformed' };
    const decision = byId.get(record_id);
    const detail = decision && detailForOthers(ports, decision);
    if (detail) return { status: 'found', record_id, decision: detail };
    const ownsIt = decision !== undefined && decision.owner_id === viewer && !isPublic(decision);
    return { status: 'not_visible', record_id, reason: ownsIt ? 'not_public' : 'does_not_exist' };
  });
}
