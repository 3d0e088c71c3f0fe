import { EntitySchema } from 'typeorm';
import type { LegalAcceptance } from '../../../domain/accounts/profile.ts';
import { INSTANT, SEQUENCE } from './columns.ts';

export interface LegalAcceptanceRow extends LegalAcceptance {
  readonly seq: string;
  readonly owner_id: string;
}

export const LEGAL_ACCEPTANCES = new EntitySchema<LegalAcceptanceRow>({
  name: 'legal_acceptance',
  tableName: 'legal_acceptances',
  schema: 'app',
  columns: {
    seq: SEQUENCE,
    owner_id: { type: 'uuid' },
    accepted_at: INSTANT,
    terms_version: { type: 'text' },
    privacy_version: { type: 'text' },
    source: { type: 'text' },
  },
});
