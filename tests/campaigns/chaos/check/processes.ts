import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { breach, type Journal } from '../journal.ts';
import { LOG_MESSAGES, saysFailedStart } from './log-messages.ts';

const DEATH = new RegExp(`${LOG_MESSAGES.death}","pid":(\\d+)`);

/**
 * Finds API processes that died without a fault, in the logs of the nodes that replaced them, and workers that stopped to
 * sign the evidence log.
 */
export function checkProcesses(journal: Journal, folder: string): void {
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.log'))) {
    const lines = readFileSync(join(folder, name), 'utf8').split('\n');
    for (const line of lines.filter(saysChangedLog)) {
      breach(journal, 'forked', `${name}: ${line}`);
    }
    let last = 0;
    for (const [n, line] of lines.entries()) {
      const pid = DEATH.exec(line)?.[1];
      if (pid === undefined) continue;
      const since = lines.slice(last, n);
      last = n;
      if (!isExplained(journal, pid, since)) breach(journal, 'processes', `${name}: ${line}\n${wordsIn(since)}`);
    }
  }
}

/** Whether a fault killed it, or it ended at its start without a database. */
function isExplained({ faults }: Journal, pid: string, since: readonly string[]): boolean {
  return faults.some(({ detail }) => detail.includes(`API process ${pid} `)) || since.some(saysFailedStart);
}

/** Without failed requests, which explain nothing. */
function wordsIn(lines: readonly string[]): string {
  return lines
    .filter((line) => !line.includes(LOG_MESSAGES.failedRequest))
    .slice(-40)
    .join('\n');
}

/** Other reasons not to sign are faults of the campaign, such as a database that is out of reach. */
function saysChangedLog(line: string): boolean {
  return line.includes(LOG_MESSAGES.unsignedLog) && line.includes('"LogChanged"');
}
