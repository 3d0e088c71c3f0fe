import { quarantineDecision, releaseDecision } from '../../../application/decisions/moderate-decision.ts';
import { MODERATION } from '../../../domain/limits.ts';
import { operatorName } from '../../operator-name.ts';
import { argumentsIn, recordIn } from '../arguments.ts';
import { type Command, UsageError } from '../command.ts';

export const quarantineCommand: Command = {
  usage: 'RECORD_ID REASON',
  summary: 'hide a decision from everyone but its owner, who sees the reason',
  read(args) {
    const { positionals } = argumentsIn(args, {});
    const [sent, ...words] = positionals;
    const record_id = recordIn(sent);
    const reason = words.join(' ').trim();
    const { quarantineReasonLength: most } = MODERATION;
    if (reason === '' || [...reason].length > most) throw new UsageError(`Send a reason of 1 to ${most} characters.`);
    return async ({ storage, print }) => {
      const changed = await quarantineDecision(storage, record_id, reason, operatorName());
      print(`${record_id}: is under quarantine${changed ? ' now' : ', as before'}`);
      return 0;
    };
  },
};

export const releaseCommand: Command = {
  usage: 'RECORD_ID [REASON]',
  summary: 'end the quarantine of a decision: a graded one has its outcome again, any other is verified again',
  read(args) {
    const { positionals } = argumentsIn(args, {});
    const [sent, ...words] = positionals;
    const record_id = recordIn(sent);
    const reason = words.join(' ').trim();
    if ([...reason].length > MODERATION.releaseReasonLength)
      throw new UsageError(`Send a reason of at most ${MODERATION.releaseReasonLength} characters, or none.`);
    return async ({ storage, print }) => {
      const { changed, lifecycle_state } = await releaseDecision(storage, record_id, operatorName(), reason || null);
      print(`${record_id}: is ${lifecycle_state}${changed ? ' now' : ', as before; it was not under quarantine'}`);
      return 0;
    };
  },
};
