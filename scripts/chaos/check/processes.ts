import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { breach, type Journal } from '../journal.ts';

/** API processes that died and that nobody had killed, by the logs of the nodes that replaced them. */
export function checkProcesses(journal: Journal, folder: string): void {
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.log'))) {
    const lines = readFileSync(join(folder, name), 'utf8').split('\n');
    for (const [n, line] of lines.entries()) {
      const pid = /An API process died and is replaced","pid":(\d+)/.exec(line)?.[1];
      if (pid === undefined || journal.faults.some(({ said }) => said.includes(`API process ${pid} `))) continue;
      const before = lines.slice(Math.max(0, n - 40), n);
      if (before.some((each) => each.includes('The service could not start'))) continue;
      const words = before.filter((each) => !each.includes('SERVICE_UNAVAILABLE')).join('\n');
      breach(journal, 'processes', `${name} replaced ${pid}: ${line}\n${words}`);
    }
  }
}
