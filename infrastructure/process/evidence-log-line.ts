import type { Config } from '../config/config.ts';

/** Whether this process keeps the evidence log, and if not, why; for the lines of a start. */
export function evidenceLogLine({ evidenceLog, server }: Pick<Config, 'evidenceLog' | 'server'>): string {
  if (evidenceLog) {
    const { host, lastSeen } = evidenceLog;
    return `kept as ${host}/log/1 and so on; the newest tree is noted in ${lastSeen}`;
  }
  if (server.role === 'api') return 'kept by the processes with ROLE=worker, if they have LOG_KEY_FILE';
  return 'off, because DATABASE_URL is set and LOG_KEY_FILE is not: there are no receipts (docs/operations.md)';
}
