import { PROMISES } from './check/promises.ts';

/** A bug that is planted in the last node or in the database, and the promise that it breaks. */
export interface Plant {
  readonly environment?: Readonly<Record<string, string>>;
  readonly sql?: string;
  readonly breaks: string;
}

/** The checks must find each of them. */
export const PLANTS: Readonly<Record<string, Plant>> = {
  window: { environment: { LIMIT_RATE_PER_SECOND: '1000000' }, breaks: PROMISES.windows },
  denial: { environment: { LIMIT_RATE_PER_SECOND: '1' }, breaks: PROMISES.windows },
  pool: { environment: { LIMIT_READ_PER_DAY: '1000000' }, breaks: PROMISES.pools },
  refusal: { environment: { LIMIT_CHECK_PER_DECISION: '1' }, breaks: PROMISES.pools },
  cooldown: { environment: { LIMIT_COOLDOWN_SECONDS: '0' }, breaks: PROMISES.submissions },
  credit: {
    sql: `update app.quota_days set credit = credit + 10
      where pool = 'query' and owner_id = (select owner_id from app.credit_ledger limit 1)`,
    breaks: PROMISES.credits,
  },
};
