import { canonicalJson } from '../../../adapters/formats/canonical-json.ts';
import { type LogPorts, resumeLog, startNextLog } from '../../../application/log/keep-log.ts';
import { logKeyOf } from '../../../application/log/log-keys.ts';
import { policyFault } from '../../../application/log/witness-log.ts';
import type { StoredLog } from '../../../domain/log/log-store.ts';
import { composeLogWriter } from '../../compose/log-writer.ts';
import { operatorName } from '../../operator-name.ts';
import { type Command, type CommandContext, type ExitCode, UsageError } from '../command.ts';

/** After a restore that lost nothing which others have seen, or for a machine that never wrote the log. */
export const logResumeCommand: Command = {
  usage: '',
  summary: 'let the evidence log go on as it is stored, although LOG_LAST_SEEN has seen another one',
  read: (args) => changeOf(args, 'log_resume', resumeLog),
};

/** After a restore that lost leaves which others have seen: those can never be signed again. */
export const logNewCommand: Command = {
  usage: '',
  summary: 'end the evidence log and start the next one, which imports all decisions',
  read: (args) => changeOf(args, 'log_new', startNextLog),
};

type Change = (ports: LogPorts) => Promise<StoredLog | null>;

function changeOf(args: readonly string[], action: string, change: Change) {
  if (args.length > 0) throw new UsageError('This command takes nothing.');
  return async ({ storage, config, print }: CommandContext): Promise<ExitCode> => {
    const writer = composeLogWriter(config);
    if (writer === null) {
      print('This process has no key of the log: set LOG_KEY_FILE, as the worker has it.');
      return 1;
    }
    const log = await change({ ...storage, canonicalJson, ...writer });
    if (log === null) {
      print('There is no log yet; the worker starts it.');
      return 1;
    }
    await storage.audit.append({ actor: operatorName(), action, subject: log.origin, detail: { log: log.log } });
    print(`${log.origin} is noted in ${config.evidenceLog?.lastSeen}; the worker signs it at its next run.`);
    const fault = writer.witnesses && policyFault(writer.witnesses.policy, logKeyOf(writer.logKey, log.origin));
    if (fault) print(`${fault} Then restart the worker: it signs nothing until then.`);
    return 0;
  };
}
