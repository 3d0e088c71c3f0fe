/** A bug that is planted in the last node, or beside it in the database, and the promise that it breaks. */
export interface Plant {
  readonly environment?: Readonly<Record<string, string>>;
  readonly sql?: string;
  readonly breaks: string;
}

const WINDOWS = 'no window lets in more than its limit, nor refuses while it has room';
const POOLS = 'no pool gives more than it holds, nor refuses while it has units';
const RECORDS = 'one record for each idempotency key and for each cooldown';
const CREDIT = 'credit exactly once';

/** The checker must see each of them. */
export const PLANTS: Readonly<Record<string, Plant>> = {
  window: { environment: { LIMIT_RATE_PER_SECOND: '1000000' }, breaks: WINDOWS },
  denial: { environment: { LIMIT_RATE_PER_SECOND: '1' }, breaks: WINDOWS },
  pool: { environment: { LIMIT_READ_PER_DAY: '1000000' }, breaks: POOLS },
  refusal: { environment: { LIMIT_CHECK_PER_DECISION: '1' }, breaks: POOLS },
  cooldown: { environment: { LIMIT_COOLDOWN_SECONDS: '0' }, breaks: RECORDS },
  credit: {
    sql: `update app.quota_days set credit = credit + 10
      where pool = 'query' and owner_id = (select owner_id from app.credit_ledger limit 1)`,
    breaks: CREDIT,
  },
};
