import { deleteOwner, type OwnerDeletion, planDeletion } from '../../../application/accounts/operators/delete-owner.ts';
import { operatorName } from '../../operator-name.ts';
import { argumentsIn, ownerIn } from '../arguments.ts';
import { type Command, UsageError } from '../command.ts';
import { ownerName } from './owner-name.ts';

/** Erases for good; only a backup can bring the owner back. */
export const deleteOwnerCommand: Command = {
  opens: 'storage as owner',
  usage: 'OWNER [--yes]',
  summary:
    'remove an owner, all that they sign in with and what they wrote, at once; what others see of their decisions stays, ' +
    'unlinked (without --yes: show what would be removed)',
  json: '{ owner_id, email, deleted: false without --yes, removed: how many by kind, decisions_kept, decisions_erased }',
  read(args) {
    const { positionals, values } = argumentsIn(args, { yes: { type: 'boolean' } });
    if (positionals.length > 1) throw new UsageError('Name one owner.');
    const owner = ownerIn(positionals[0]);
    return async ({ storage, print, report }) => {
      if (values.yes) {
        const deletion = await deleteOwner(storage, owner, operatorName());
        print(deletionText(deletion, 'Removed', 'Kept, unlinked'));
        print(`Erased: the text of ${deletion.erased} of them${deletion.isOver ? '' : LATER}.`);
        report({ ...deletionReport(deletion, true), decisions_erased: deletion.erased });
        return 0;
      }
      const plan = await planDeletion(storage, owner);
      print(deletionText(plan, 'Would be removed', 'Would be kept, unlinked'));
      report({ ...deletionReport(plan, false), decisions_erased: 0 });
      print('Nothing was done: add --yes. It cannot be undone.');
      return 2;
    };
  },
};

const LATER = '; the others are being evaluated, and a worker erases theirs within a minute';

function deletionText({ owner, removed, records }: OwnerDeletion, removedTitle: string, keptTitle: string): string {
  const counts = Object.entries(removed).map(([name, count]) => `${count} ${name.replaceAll('_', ' ')}`);
  return `${ownerName(owner)}\n${removedTitle}: the account, ${counts.join(', ')}.\n${keptTitle}: ${records} decision records.`;
}

function deletionReport({ owner: { owner_id, email }, removed, records }: OwnerDeletion, deleted: boolean) {
  return { owner_id, email, deleted, removed, decisions_kept: records };
}
