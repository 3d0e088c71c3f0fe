import { SECOND } from '../../domain/time.ts';
import type { Config } from '../config/config.ts';

/** Whether this process keeps the evidence log, and if not, why; for the lines of a start. */
export function evidenceLogLine({ evidenceLog, server }: Pick<Config, 'evidenceLog' | 'server'>): string {
  if (evidenceLog) {
    const { interval, lastSeen } = evidenceLog;
    return `kept, a signed batch every ${interval / SECOND} s; the newest tree is noted in ${lastSeen}`;
  }
  if (server.role === 'api') return 'kept by the processes with ROLE=worker, if they have LOG_KEY_FILE';
  return 'off, because DATABASE_URL is set and LOG_KEY_FILE is not: there are no receipts (docs/log-operation.md)';
}
