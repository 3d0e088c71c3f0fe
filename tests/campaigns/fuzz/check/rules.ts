import type { Operation } from '../document.ts';

/** A rule that no schema expresses. It may refuse a request only if the document describes it. */
export interface Rule {
  /** The ids of its operations; by default all. */
  readonly of?: RegExp;
  /** Its place in the request. */
  readonly path: RegExp;
  readonly message: RegExp;
  /** The words of the document that describe it. */
  readonly words: string;
}

const ANYWHERE = /^/;
const STORABLE = 'Strings must not contain NUL (U+0000) or unpaired surrogates.';

export const RULES: readonly Rule[] = [
  { path: ANYWHERE, message: /U\+0000/, words: STORABLE },
  {
    path: ANYWHERE,
    message: /^must not (contain|be a name with) U\+/,
    words: 'must not contain characters that do not show',
  },
  { path: ANYWHERE, message: /^must be one line/, words: 'are one line' },
  { path: ANYWHERE, message: /unpaired surrogate|must be percent-encoded/, words: STORABLE },
  { path: ANYWHERE, message: /must not nest deeper than 32 levels/, words: 'nest at most 32 levels deep' },
  { path: ANYWHERE, message: /^must not be sent$/, words: '`__proto__`' },
  { path: ANYWHERE, message: /must be a number of at most 1\.8e308/, words: 'a number beyond a double' },
  {
    path: ANYWHERE,
    message: /must have at least 1 character|must not be blank/,
    words: 'A required text must not be blank.',
  },
  {
    path: ANYWHERE,
    message: /must be (after|at least holding|date_from or later)/,
    words: 'A range must end after it begins.',
  },
  {
    path: /^after$|^last-event-id$/,
    message: /must be (the|a) next_cursor/,
    words: 'The `next_cursor` of an earlier reply to you',
  },
  { path: /^cursor$/, message: /must be the next_cursor/, words: 'The `next_cursor` of' },
  { path: /^period$/, message: /must be in the calendar/, words: 'in this UTC year, month or day' },
  { path: /^market$/, message: /is not supported/, words: '`stock` or `crypto`.' },
  { of: /^submit/, path: /^venue$/, message: /is not supported/, words: 'Such as NASDAQ, NYSE, BINANCE or COINBASE.' },
  { of: /^refresh/, path: /^venue$/, message: /is not supported/, words: 'Where it trades' },
  { path: /^asset_class$/, message: /is not supported/, words: '`spot` or `perp`.' },
  { of: /^submit/, path: /^quote_currency$/, message: /is not supported/, words: 'Such as `USD` or `USDT`.' },
  { of: /^refresh/, path: /^quote_currency$/, message: /is not supported/, words: 'The currency of its price.' },
  { of: /^submit/, path: /^symbol$/, message: /is not supported/, words: 'or the base of a pair (`BTC`).' },
  { of: /^submit/, path: /^symbol$/, message: /^Did you mean|^Send a ticker/, words: 'A listed ticker' },
  { of: /^refresh/, path: /^symbol$/, message: /is not supported/, words: 'As submitted, in any spelling' },
  { path: /^(query\.)?symbol$/, message: /must be a (ticker|base asset)/, words: 'in a submission: `BTC`' },
  { path: /^(query\.)?symbol$/, message: /must have the suffix of its venue/, words: '`0700` needs a `venue`' },
  { path: /^symbol$/, message: /must have the suffix of its venue/, words: 'in a submission: `BTC`' },
  { of: /^readSecurity$/, path: /^symbol$/, message: /^Send a ticker/, words: 'A name or a key, such as META' },
  { path: /^horizon_value$/, message: ANYWHERE, words: 'Seconds (120 to 31,536,000) or full sessions (1 to 252).' },
  { path: /^data_cutoff$/, message: ANYWHERE, words: 'The time of the newest data that you analysed.' },
  { path: /^model\.knowledge_cutoff$/, message: ANYWHERE, words: 'at most tomorrow' },
  { of: /^markRead$/, path: /^read_mark$/, message: /must be the read_mark/, words: 'That of the digest.' },
  { path: /^key_factors/, message: ANYWHERE, words: '`depends_on` lists ids, no cycle or repeat.' },
  { path: /^analysis_class$|^price_targets/, message: ANYWHERE, words: '`trade_plan` requires `price_targets`' },
  {
    path: /^related_records/,
    message: ANYWHERE,
    words: 'Own or public records, none with a later `data_cutoff`; each link once.',
  },
  { of: /^submit/, path: /^tags/, message: /^Send each tag once/, words: 'Each once.' },
  { path: /^invalidation/, message: ANYWHERE, words: 'each kind at most once' },
  { path: /^meta/, message: /bytes of JSON/, words: 'At most 4 KiB of JSON, stored as sent.' },
  { path: /^idempotency-key$/, message: ANYWHERE, words: '1 to 255 visible ASCII characters' },
  { path: /^evidence_urls/, message: /https URL/, words: 'https, without user name and password.' },
  { path: /^agent_name$|^agent_id$/, message: /together/, words: 'Not together with `agent_id`.' },
  { path: /^agent_id$/, message: /^is required with/, words: 'Owners send it, a key has its own.' },
  { of: /^recall$/, path: /^as_of$/, message: /^must not be later/, words: 'at most now, the default.' },
  {
    of: /^addBacktestNote$/,
    path: /^as_of$/,
    message: /^must not be later/,
    words: 'from `known_at` of the row until now.',
  },
  { path: /^about/, message: /as in the first request/, words: 'The same in each request of a set.' },
  {
    of: /^recall$/,
    path: /^horizon_(kind|value)$/,
    message: /^is required next to|^needs horizon_kind/,
    words: 'Its band comes first; with `horizon_value`.',
  },
  {
    of: /Webhook$/,
    path: /^url$/,
    message: /^must/,
    words: 'An https URL with a host of the public internet',
  },
  { path: /^allowed_networks/, message: /must be a network/, words: 'A network such as `192.0.2.0/24`' },
  { of: /^createKey/, path: /^expires_at$/, message: /in the future/, words: 'In the future, at most 366 days ahead.' },
  { of: /^reauthenticate/, path: /^password$/, message: /is required/, words: 'Required for an account that has one' },
  { path: /^code$|^state$/, message: /is required/, words: 'required unless there is an `error`.' },
  { path: /^timezone$/, message: /IANA/, words: 'IANA time zone database' },
  { path: /^locale$/, message: /BCP 47/, words: 'BCP 47' },
  { path: ANYWHERE, message: /8 KiB|8,?192 bytes/, words: 'At most 8 KiB are stored.' },
];

export interface Detail {
  readonly path: string;
  readonly message: string;
}

/** The reasons of a refusal that the document does not describe. */
export function unexplained(operation: Operation, refusal: unknown): readonly Detail[] {
  const { error } = refusal as { error: { message: string; details?: readonly Detail[] } };
  const details = error.details ?? [{ path: '', message: error.message }];
  return details.filter((detail) => !RULES.some((rule) => explains(rule, operation, detail)));
}

function explains({ of, path, message, words }: Rule, operation: Operation, detail: Detail): boolean {
  if (of && !of.test(operation.id)) return false;
  // The members of a horizon are those of a decision.
  const place = detail.path.replace(/^horizons\[\d+\]\./, '');
  return path.test(place) && message.test(detail.message) && operation.words.includes(words);
}
