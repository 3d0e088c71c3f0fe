interface Setting {
  readonly name: string;
  readonly value: string;
  readonly why: string;
}

/** The variables that the demo changes for its own service, and why. */
export const SETTINGS: readonly Setting[] = [
  { name: 'LIMIT_COOLDOWN_SECONDS', value: '0', why: 'years of decisions arrive within seconds' },
  { name: 'LIMIT_RETROACTIVE_PER_DAY', value: '100000', why: 'every decision here is about the past' },
  { name: 'LIMIT_SUBMITS_PER_HOUR', value: '100000', why: 'one hour has to hold them all' },
  { name: 'LIMIT_RATE_PER_SECOND', value: '10000', why: 'the demo should not wait for the rate limit' },
  { name: 'LIMIT_RATE_PER_MINUTE', value: '100000', why: 'the same' },
  { name: 'LIMIT_ADDRESS_PER_MINUTE', value: '100000', why: 'callers without credentials read, too' },
  { name: 'LIMIT_SIGNUPS_PER_MINUTE', value: '1000', why: 'all owners sign up at once, again on every run' },
  { name: 'LIMIT_CREDENTIALED_PER_MINUTE', value: '100000', why: 'the demo is one address' },
  { name: 'LIMIT_ACCOUNTS_PER_ADDRESS', value: '1000', why: 'all owners sign up from it, again on every run' },
  { name: 'LIMIT_READ_PER_DAY', value: '100000', why: 'the grades are read back in batches' },
  { name: 'LIMIT_QUERY_PER_DAY', value: '10000', why: 'cohorts are queried, again on every run' },
  { name: 'LIMIT_CHECK_PER_DECISION', value: '1000', why: 'every record is checked, again on every run' },
  { name: 'LOG_INTERVAL_SECONDS', value: '1', why: 'the demo should not wait for its receipts' },
  { name: 'MARKET_DATA_NETWORK', value: 'false', why: 'the prices are installed with the project' },
];

/** What it changes for a small cast, too. */
export const OF_FEW_OWNERS: readonly Setting[] = [
  { name: 'WISDOM_MIN_PRODUCERS', value: '2', why: 'six owners are few; the contract asks for five' },
  { name: 'WISDOM_MIN_SAMPLES', value: '2', why: 'narrow cohorts show their counts, too' },
];

export function variablesOf(settings: readonly Setting[]): Readonly<Record<string, string>> {
  return Object.fromEntries(settings.map(({ name, value }) => [name, value]));
}
