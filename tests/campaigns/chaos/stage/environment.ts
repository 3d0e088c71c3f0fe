import { CONTRACT_LIMITS, type Limits } from '../../../../domain/limits.ts';
import { limitVariables, serviceEnvironment, UNREACHED_LIMITS } from '../../stage/environment.ts';
import type { ChaosDatabase } from './database.ts';

/** The limits of the campaign: small enough that requests reach some of them. */
export type ChaosLimits = Pick<
  Limits,
  | ('ratePerSecond' | 'ratePerMinute' | 'queryPerDay' | 'readPerDay' | 'checkPerDecision')
  | ('submitsPerHour' | 'retroactivePerDay' | 'cooldownSeconds')
>;

/** What the environments of all processes of the service have in common. */
export function environmentOf(
  { serviceUrl, ownerUrl }: Pick<ChaosDatabase, 'serviceUrl' | 'ownerUrl'>,
  bars: string,
  limits: ChaosLimits,
): Record<string, string> {
  return {
    ...serviceEnvironment({ serviceUrl, url: ownerUrl }),
    DATABASE_POOL: '5',
    LOG_LEVEL: 'info',
    LOG_FORMAT: 'json',
    TRUST_PROXY: '1',
    MARKET_DATA_BARS_DIR: bars,
    CIRCUIT_MONITOR: 'false',
    WEBHOOK_ALLOW_PRIVATE: 'true',
    WISDOM_MIN_PRODUCERS: '1',
    WISDOM_MIN_SAMPLES: '1',
    ...limitVariables({ ...UNREACHED_LIMITS, signupsPerMinute: CONTRACT_LIMITS.signupsPerMinute, ...limits }),
  };
}
