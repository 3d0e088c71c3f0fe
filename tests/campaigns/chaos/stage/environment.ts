import { randomBytes } from 'node:crypto';
import type { Limits } from '../../../../domain/limits.ts';
import type { ChaosDatabase } from './database.ts';

/** The limits of the campaign: small enough that some are met. */
export type ChaosLimits = Omit<Limits, 'addressPerMinute' | 'signupsPerMinute'>;

/** What every process of the service is told. */
export function environmentOf(
  { serviceUrl, ownerUrl }: Pick<ChaosDatabase, 'serviceUrl' | 'ownerUrl'>,
  bars: string,
  limits: ChaosLimits,
): Record<string, string> {
  return {
    DATABASE_URL: serviceUrl,
    MIGRATION_DATABASE_URL: ownerUrl,
    SESSION_SECRET: randomBytes(32).toString('hex'),
    PASSWORD_PEPPER: randomBytes(32).toString('hex'),
    DATABASE_POOL: '5',
    LOG_LEVEL: 'info',
    LOG_FORMAT: 'json',
    TRUST_PROXY: '1',
    MARKET_DATA_NETWORK: 'false',
    MARKET_DATA_BARS_DIR: bars,
    CIRCUIT_MONITOR: 'false',
    WISDOM_MIN_PRODUCERS: '1',
    WISDOM_MIN_SAMPLES: '1',
    ...variablesOf(limits),
  };
}

function variablesOf(limits: ChaosLimits): Record<string, string> {
  return {
    LIMIT_RATE_PER_SECOND: String(limits.ratePerSecond),
    LIMIT_RATE_PER_MINUTE: String(limits.ratePerMinute),
    LIMIT_ADDRESS_PER_MINUTE: '1000000',
    LIMIT_QUERY_PER_DAY: String(limits.queryPerDay),
    LIMIT_READ_PER_DAY: String(limits.readPerDay),
    LIMIT_CHECK_PER_DECISION: String(limits.checkPerDecision),
    LIMIT_SUBMITS_PER_HOUR: String(limits.submitsPerHour),
    LIMIT_RETROACTIVE_PER_DAY: String(limits.retroactivePerDay),
    LIMIT_COOLDOWN_SECONDS: String(limits.cooldownSeconds),
  };
}
