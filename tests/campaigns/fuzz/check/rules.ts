import type { Operation } from '../document.ts';

/** A refusal of what fits the schema: allowed only where the document tells the rule in words. */
export interface Rule {
  /** The operations that have it; all unless told. */
  readonly of?: RegExp;
  /** The place in the request. */
  readonly path: RegExp;
  readonly message: RegExp;
  /** Words of the document that tell it. */
  readonly told: string;
}

const ANYWHERE = /^/;
const STORABLE = 'No text holds U+0000 or half of a surrogate pair.';

export const RULES: readonly Rule[] = [
  { path: ANYWHERE, message: /U\+0000/, told: STORABLE },
  { path: ANYWHERE, message: /half of a surrogate pair|must be percent-encoded/, told: STORABLE },
  { path: ANYWHERE, message: /must not nest deeper than 32 levels/, told: 'nest at most 32 levels deep' },
  { path: ANYWHERE, message: /^must not be sent$/, told: '`__proto__`' },
  { path: ANYWHERE, message: /must be a number of at most 1\.8e308/, told: 'no number beyond a double' },
  { path: ANYWHERE, message: /must have at least 1 character/, told: 'blanks alone are none' },
  {
    path: ANYWHERE,
    message: /must be (after|at least holding|date_from or later)/,
    told: 'A range ends after it begins.',
  },
  { path: /^cursor$/, message: /must be the next_cursor/, told: 'The `next_cursor` of a page' },
  { path: /^market$/, message: /is not supported/, told: '`stock` or `crypto`.' },
  { path: /^venue$/, message: /is not supported/, told: 'Where it trades' },
  { path: /^asset_class$/, message: /is not supported/, told: '`spot` or `perp`.' },
  { of: /^submit/, path: /^quote_currency$/, message: /is not supported/, told: 'Such as `USD` or `USDT`.' },
  { of: /^refresh/, path: /^quote_currency$/, message: /is not supported/, told: 'What it is priced in.' },
  { of: /^submit/, path: /^symbol$/, message: /is not supported/, told: 'or the base of a pair (`BTC`;' },
  { of: /^submit/, path: /^symbol$/, message: /^Did you mean|^Send a ticker/, told: 'A ticker that is listed' },
  { of: /^refresh/, path: /^symbol$/, message: /is not supported/, told: 'As submitted, in any spelling' },
  { path: /^symbol$/, message: /must be a (ticker|base asset)/, told: 'Spelled as in a submission' },
  { path: /^horizon_value$/, message: ANYWHERE, told: 'Seconds (120 to 31,536,000) or full sessions (1 to 252).' },
  { path: /^data_cutoff$/, message: ANYWHERE, told: 'The time of the newest data that was analysed.' },
  { path: /^key_factors/, message: ANYWHERE, told: '`depends_on` names ids, in no circle.' },
  { path: /^analysis_class$|^price_targets/, message: ANYWHERE, told: '`trade_plan` needs `price_targets`' },
  { path: /^related_records/, message: ANYWHERE, told: 'Your own or public records, of no later `data_cutoff`.' },
  { path: /^invalidation/, message: ANYWHERE, told: 'kinds distinct' },
  { path: /^meta/, message: /bytes of JSON/, told: 'Any JSON object of at most 4 KiB' },
  { path: /^idempotency-key$/, message: ANYWHERE, told: '1 to 255 visible ASCII characters' },
  { path: /^evidence_urls/, message: /https URL/, told: 'https, without user name and password.' },
  { path: /^agent_name$|^agent_id$/, message: /together/, told: 'Not together with `agent_id`.' },
  { path: /^code$|^state$/, message: /is required/, told: 'required unless there is an `error`.' },
  { path: /^timezone$/, message: /IANA/, told: 'IANA time zone database' },
  { path: /^locale$/, message: /BCP 47/, told: 'BCP 47' },
  { path: ANYWHERE, message: /8 KiB|8,?192 bytes/, told: 'At most 8 KiB are kept.' },
];

export interface Detail {
  readonly path: string;
  readonly message: string;
}

/** The reasons of a refusal for which the document has no words. */
export function unexplained(operation: Operation, refusal: unknown): readonly Detail[] {
  const { error } = refusal as { error: { message: string; details?: readonly Detail[] } };
  const details = error.details ?? [{ path: '', message: error.message }];
  return details.filter((detail) => !RULES.some((rule) => explains(rule, operation, detail)));
}

function explains({ of, path, message, told }: Rule, operation: Operation, detail: Detail): boolean {
  if (of && !of.test(operation.id)) return false;
  return path.test(detail.path) && message.test(detail.message) && operation.words.includes(told);
}
