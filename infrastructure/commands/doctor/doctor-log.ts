import { accessSync, constants, existsSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import type pg from 'pg';
import { logKeyOf } from '../../../application/log/log-keys.ts';
import { composeLogWriter } from '../../compose/log-writer.ts';
import type { Config } from '../../config/config.ts';
import type { EvidenceLogConfig } from '../../config/evidence-log.ts';
import { errorCode } from '../../error-code.ts';
import { evidenceLogLine } from '../../process/evidence-log-line.ts';
import { type DoctorCheck, failed, ok } from './doctor-check.ts';

/** Whether this process can keep the evidence log, without its database. */
export function logFinding({ evidenceLog, server, dataDir }: Config): DoctorCheck {
  const fault = evidenceLog && noteFault(evidenceLog, dataDir);
  if (!fault)
    return ok('evidence log', `${evidenceLogLine({ evidenceLog, server })}; status shows whether it is signed`);
  const advice = 'Set LOG_LAST_SEEN to a file that this user may write, outside of DATA_DIR and of every backup.';
  return failed('evidence log', fault, advice);
}

function noteFault({ lastSeen }: EvidenceLogConfig, dataDir: string): string | null {
  if (!relative(dataDir, lastSeen).startsWith('..')) {
    return `LOG_LAST_SEEN, ${lastSeen}, is in DATA_DIR: a copy of that folder has it too, so a restored log is not noticed`;
  }
  try {
    accessSync(existing(lastSeen), constants.W_OK);
    return null;
  } catch (error) {
    return `LOG_LAST_SEEN, ${lastSeen}, cannot be written: ${errorCode(error)}; no tree is signed without it`;
  }
}

/** The path, or the folder above it in which it would be made. */
function existing(path: string): string {
  if (existsSync(path)) return path;
  const above = dirname(path);
  return existsSync(above) ? `${above}/.` : existing(above);
}

/** Whether a process that may write the log has the key of the newest one. */
export async function logKeyFindings(client: pg.Client, config: Config): Promise<readonly DoctorCheck[]> {
  const { rows } = await client.query<{ origin: string; keys: readonly string[] }>(
    `select origin, array(select key_id from app.log_keys k where k.log = l.log and k.key_id <> l.key_id order by since)
       || key_id as keys from app.logs l order by log desc limit 1`,
  );
  const [log] = rows;
  if (!log) return [];
  const writer = composeLogWriter(config);
  const own = writer ? logKeyOf(writer.logKey, log.origin).id : 'none';
  const previous = writer?.previousKey && logKeyOf(writer.previousKey, log.origin).id;
  if (log.keys.some((key) => key === own || key === previous))
    return [ok('log key', `the key ${own} is that of ${log.origin}`)];
  const advice =
    'Use the key file of the worker that signed it, name it as LOG_PREVIOUS_KEY_FILE, or end this log by log-new.';
  return [
    failed('log key', `${log.origin} is signed by the key ${log.keys.join(' and ')}; this process has ${own}`, advice),
  ];
}
