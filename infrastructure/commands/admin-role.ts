import { changeRole } from '../../application/accounts/change-role.ts';
import type { Role } from '../../domain/caller.ts';
import { OWNER_ID } from '../../domain/identifiers.ts';
import { argumentsIn } from './arguments.ts';
import { type Command, UsageError } from './command.ts';
import { COMMAND_LINE } from './refresh.ts';

export const grantAdminCommand: Command = roleCommand('admin', 'open the admin area to an owner, at once');

export const revokeAdminCommand: Command = roleCommand('owner', 'close the admin area to an owner, at once');

function roleCommand(role: Role, summary: string): Command {
  return {
    usage: 'OWNER',
    summary: `${summary} (OWNER: an owner_id, or the email of a password account)`,
    read(args) {
      const named = ownerIn(args);
      return async ({ storage, print }) => {
        const { owner, changed } = await changeRole(storage, named, role, COMMAND_LINE);
        const name = owner.email === null ? owner.owner_id : `${owner.owner_id} (${owner.email})`;
        print(`${name}: ${role === 'admin' ? 'is' : 'is no'} admin${changed ? ' now' : ', as before'}`);
        return 0;
      };
    },
  };
}

function ownerIn(args: readonly string[]): string {
  const { positionals } = argumentsIn(args, {});
  const [named, ...others] = positionals;
  if (named === undefined || others.length > 0) throw new UsageError('Name one owner.');
  if (named.includes('@') || OWNER_ID.test(named.toLowerCase())) return named;
  throw new UsageError(`${named} is neither an owner_id nor an email; list-owners tells them.`);
}
