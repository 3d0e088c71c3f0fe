import { changeRole } from '../../../application/accounts/operators/change-role.ts';
import type { Role } from '../../../domain/caller.ts';
import { operatorName } from '../../operator-name.ts';
import { argumentsIn, ownerIn } from '../arguments.ts';
import { type Command, UsageError } from '../command.ts';
import { ownerName } from './owner-name.ts';

export const grantAdminCommand: Command = roleCommand(
  'admin',
  'give an owner access to the admin area, at once; ends the sessions',
);

export const revokeAdminCommand: Command = roleCommand(
  'owner',
  'end the access of an owner to the admin area, at once',
);

function roleCommand(role: Role, summary: string): Command {
  return {
    opens: 'storage as owner',
    usage: 'OWNER',
    summary: `${summary} (OWNER: an owner_id, or the email of a password account)`,
    read(args) {
      const ownerArgument = onlyOwnerIn(args);
      return async ({ storage, print }) => {
        const { owner, changed, sessions_ended } = await changeRole(storage, ownerArgument, role, operatorName());
        const ended = sessions_ended > 0 ? `; sessions ended: ${sessions_ended}` : '';
        print(
          `${ownerName(owner)}: ${role === 'admin' ? 'is' : 'is no'} admin${changed ? ' now' : ', as before'}${ended}`,
        );
        return 0;
      };
    },
  };
}

/** The one owner of a command that takes nothing else. @throws UsageError */
function onlyOwnerIn(args: readonly string[]): string {
  const { positionals } = argumentsIn(args, {});
  if (positionals.length > 1) throw new UsageError('Name one owner.');
  return ownerIn(positionals[0]);
}
