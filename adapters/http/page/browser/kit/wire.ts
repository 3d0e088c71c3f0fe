import type { OwnerOutcome, ShownFacts } from '../../../../../domain/decisions/views/views.ts';
import type { publicCircuit } from '../../../shapes/circuits/circuits.ts';
import type { ownerDetail, publicDetail } from '../../../shapes/decisions/decision-views.ts';
import type { ownerSummary } from '../../../shapes/decisions/own-records.ts';
import type { direction } from '../../../shapes/texts.ts';
import type { Reply } from './schemas.ts';

/** Which security a record is about, and what it says. */
export type WireIdentity = Pick<
  WirePublicDetail,
  | 'record_id'
  | 'market'
  | 'symbol'
  | 'venue'
  | 'asset_class'
  | 'quote_currency'
  | 'direction'
  | 'horizon_kind'
  | 'horizon_value'
  | 'data_cutoff'
  | 'submission_origin'
>;

export type WireDirection = Reply<typeof direction>;

export type Factor = WirePublicDetail['key_factors'][number];

export type Input = NonNullable<WireOwnerDetail['inputs']>[number];

export type Note = WireOwnerDetail['notes'][number];

/** The public form of a record. */
export interface WirePublicDetail extends Omit<Reply<typeof publicDetail>, 'outcome'> {
  readonly outcome: ShownFacts | null;
}

type Progress = Reply<typeof ownerDetail>['evaluation'];

/** A record as its owner sees it. */
export interface WireOwnerDetail extends Omit<Reply<typeof ownerDetail>, 'outcome' | 'meta' | 'evaluation'> {
  readonly outcome: OwnerOutcome | null;
  /** What a parser makes of the text that the service sends. */
  readonly meta: unknown;
  readonly evaluation: Pick<Progress, 'next_check_at' | 'last_error'>;
}

export type WirePriceTargets = NonNullable<WireOwnerDetail['price_targets']>;

export type Detail = WirePublicDetail | WireOwnerDetail;

/** A row in the list of own records. */
export type OwnRow = Reply<typeof ownerSummary>;

export type CircuitFacts = Reply<typeof publicCircuit>;
