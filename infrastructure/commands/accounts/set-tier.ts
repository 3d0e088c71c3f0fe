import { changeTier } from '../../../application/accounts/operators/change-tier.ts';
import { TIERS } from '../../../domain/caller.ts';
import { operatorName } from '../../operator-name.ts';
import { argumentsIn, oneOf, ownerIn } from '../arguments.ts';
import { type Command, UsageError } from '../command.ts';

/** Changes the limits of an owner. */
export const setTierCommand: Command = {
  opens: 'storage as owner',
  usage: `OWNER ${TIERS.join('|')}`,
  summary:
    'change how many keys, agents and workflows an owner may have; nothing is removed; a larger tier ends the sessions',
  read(args) {
    const { positionals } = argumentsIn(args, {});
    const [ownerArgument, word, ...others] = positionals;
    const ownerName = ownerIn(ownerArgument);
    if (word === undefined || others.length > 0) throw new UsageError('Name one owner and one tier.');
    const tier = oneOf(TIERS, word, 'Tier');
    return async ({ storage, print }) => {
      const { owner, changed, sessions_ended } = await changeTier(storage, ownerName, tier, operatorName());
      const ended = sessions_ended > 0 ? `; sessions ended: ${sessions_ended}` : '';
      print(`${owner.owner_id}: is ${tier}${changed ? ` now, was ${owner.tier}` : ', as before'}${ended}`);
      return 0;
    };
  },
};
