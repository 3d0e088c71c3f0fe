import { isVerified } from '../../../domain/decisions/moderation/verification.ts';
import type {
  DecisionDraft,
  RefusedRelation,
  SubmissionContext,
} from '../../../domain/decisions/submission/decision-intake.ts';
import { refusedRelations } from '../../../domain/decisions/submission/relations.ts';
import { instrumentKey } from '../../../domain/market/instrument.ts';
import { newestLog } from '../log/log-store.ts';
import type { DecisionTables } from './decision-tables.ts';

export interface StoredContext extends SubmissionContext {
  /** The newest snapshot of the circuit, where the quote currency has one. */
  readonly circuit_snapshot: string | null;
  /** The origin of the newest evidence log. */
  readonly log: string | null;
  readonly refused: readonly RefusedRelation[];
}

/** What the submission of a draft reads besides its own record. */
export function submissionContext(tables: DecisionTables, draft: DecisionDraft, received: Date): StoredContext {
  const circuit = draft.coin === null ? undefined : tables.circuits.get(draft.coin);
  const known = tables.instruments.get(instrumentKey(draft.instrument));
  return {
    circuit_state: circuit?.to ?? 'normal',
    circuit_snapshot: circuit?.id ?? null,
    log: newestLog(tables)?.origin ?? null,
    workflow_found: tables.publications.where((publication) => attributable(publication, draft)).length > 0,
    verified: isVerified(known ?? null, received),
    history_from: known?.listing ? new Date(known.listing.history_from) : null,
    refused: refusedRelations(
      draft,
      draft.related.flatMap(({ record_id }) => tables.decisions.get(record_id) ?? []),
    ),
  };
}

function attributable(
  { hash, owner_id, visibility }: { readonly hash: string; readonly owner_id: string; readonly visibility: string },
  draft: DecisionDraft,
): boolean {
  return hash === draft.workflow_hash && (visibility === 'public' || owner_id === draft.owner_id);
}
