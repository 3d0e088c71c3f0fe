import { deleteOwner, type OwnerDeletion, planDeletion } from '../../application/accounts/operators/delete-owner.ts';
import { argumentsIn, ownerIn } from './arguments.ts';
import { type Command, UsageError } from './command.ts';
import { ownerName } from './owner-name.ts';
import { COMMAND_LINE } from './refresh.ts';

/** For good: there is no way back but a backup. */
export const deleteOwnerCommand: Command = {
  usage: 'OWNER --yes',
  summary:
    'remove an owner and all that they sign in with; their records stay, unlinked (without --yes: show what would be removed)',
  read(args) {
    const { positionals, values } = argumentsIn(args, { yes: { type: 'boolean' } });
    if (positionals.length > 1) throw new UsageError('Name one owner.');
    const named = ownerIn(positionals[0]);
    return async ({ storage, print }) => {
      if (values.yes) {
        print(deletionText(await deleteOwner(storage, named, COMMAND_LINE), 'Removed', 'Kept, unlinked'));
        return 0;
      }
      print(deletionText(await planDeletion(storage, named), 'Would be removed', 'Would be kept, unlinked'));
      print('Nothing was done: add --yes. It cannot be undone.');
      return 2;
    };
  },
};

function deletionText({ owner, removed, records }: OwnerDeletion, goes: string, stays: string): string {
  const counts = Object.entries(removed).map(([name, count]) => `${count} ${name.replaceAll('_', ' ')}`);
  return `${ownerName(owner)}\n${goes}: the account, ${counts.join(', ')}.\n${stays}: ${records} decision records.`;
}
