import { LogChanged } from '../../../application/log/append-batch.ts';
import { refusingWitnesses } from '../../../application/log/ask-witnesses.ts';
import { guardLog } from '../../../application/log/guard-log.ts';
import type { StoredLogStatus } from '../../../application/operators/status-figures.ts';
import type { Storage } from '../../../application/ports.ts';
import type { LogOverview, StoredLog } from '../../../domain/log/log-store.ts';
import { rfc3339 } from '../../../domain/time.ts';
import { composeLogWriter } from '../../compose/log-writer.ts';
import type { Config } from '../../config/config.ts';

/** The evidence log, as `status` shows it. */
export interface LogStatus extends LogOverview {
  /**
   * `off`: there is none. `signed`: it is, as far as this machine can see. `behind`: a submission or an outcome has waited
   * for its leaf for longer than the 5 minutes that are promised. `stopped`: it differs from what was seen here, or a witness refuses it.
   */
  readonly state: 'off' | 'signed' | 'behind' | 'stopped';
  readonly origin: string | null;
  /** Why it is stopped. */
  readonly reason: string | null;
  /** Where this machine notes the newest tree; null without the key of the log. */
  readonly last_seen: string | null;
  /** Whether a tree is noted there. */
  readonly noted: boolean;
}

export async function logStatus(
  storage: Pick<Storage, 'log' | 'signatures'>,
  config: Config,
  stored: StoredLogStatus,
): Promise<LogStatus> {
  const last_seen = config.evidenceLog?.lastSeen ?? null;
  const log = await storage.log.newest();
  if (log === null) return { ...stored, reason: null, last_seen, noted: false };
  const { reason, noted } = await comparedHere(storage, config, log);
  return { ...stored, state: reason !== null ? 'stopped' : stored.state, reason, last_seen, noted };
}

async function comparedHere(storage: Pick<Storage, 'log' | 'signatures'>, config: Config, log: StoredLog) {
  const writer = composeLogWriter(config);
  if (writer === null) return { reason: null, noted: false };
  try {
    const noted = (await guardLog(storage.log, writer.lastSeen, log)) !== null;
    const [refusing] = writer.witnesses ? await refusingWitnesses(storage, writer.witnesses.policy, log) : [];
    return { reason: refusing === undefined ? null : `The witness ${refusing} refuses ${log.origin}.`, noted };
  } catch (error) {
    if (error instanceof LogChanged) return { reason: error.message, noted: true };
    return { reason: error instanceof Error ? error.message : String(error), noted: false };
  }
}

export function logLines({ state, origin, size, signed_at, pending, last_seen, noted }: LogStatus): readonly string[] {
  if (state === 'off') {
    const why = last_seen === null ? 'this process has no LOG_KEY_FILE' : 'a worker starts it';
    return [`Evidence log: none yet; ${why}`];
  }
  const signed = signed_at === null ? '' : `, signed at ${rfc3339(signed_at).slice(0, 19)}Z`;
  return [
    `Evidence log: ${origin}, ${state}; ${size} leaves${signed}; ${pending} events without a leaf`,
    ...(last_seen === null ? [] : [`Newest tree: ${noted ? 'noted' : 'not noted'} in ${last_seen}`]),
  ];
}
