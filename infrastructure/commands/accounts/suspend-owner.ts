import { resumeOwner, suspendOwner } from '../../../application/accounts/operators/suspend-owner.ts';
import { ACCOUNT } from '../../../domain/limits.ts';
import { operatorName } from '../../operator-name.ts';
import { argumentsIn, ownerIn } from '../arguments.ts';
import { type Command, UsageError } from '../command.ts';
import { ownerName } from './owner-name.ts';

export const suspendOwnerCommand: Command = {
  opens: 'storage as owner',
  usage: 'OWNER --reason TEXT',
  summary: 'stop the keys, sessions and logins of an owner at once; records stay, and are graded and counted',
  read(args) {
    const { positionals, values } = argumentsIn(args, { reason: { type: 'string' } });
    const [named, ...others] = positionals;
    const ownerArgument = ownerIn(named);
    if (others.length > 0) throw new UsageError('Name one owner; put a reason of several words in quotes.');
    const reason = values.reason?.trim() ?? '';
    const { suspensionReasonLength: most } = ACCOUNT;
    if (reason === '' || [...reason].length > most) {
      throw new UsageError(`Send --reason with 1 to ${most} characters.`);
    }
    return async ({ storage, print }) => {
      const { owner, ended } = await suspendOwner(storage, ownerArgument, reason, operatorName());
      const what = ended
        ? `is suspended now; keys stopped: ${ended.keys.length}; sessions ended: ${ended.sessions_ended}`
        : 'is suspended, as before';
      print(`${ownerName(owner)}: ${what}`);
      return 0;
    };
  },
};

export const resumeOwnerCommand: Command = {
  opens: 'storage as owner',
  usage: 'OWNER',
  summary: 'end the suspension of an owner: the keys that it stopped work again, and the owner may log in',
  read(args) {
    const { positionals } = argumentsIn(args, {});
    if (positionals.length > 1) throw new UsageError('Name one owner.');
    const ownerArgument = ownerIn(positionals[0]);
    return async ({ storage, print }) => {
      const { owner, keys } = await resumeOwner(storage, ownerArgument, operatorName());
      const what = keys ? `is suspended no longer; keys restored: ${keys.length}` : 'is not suspended, as before';
      print(`${ownerName(owner)}: ${what}`);
      return 0;
    };
  },
};
