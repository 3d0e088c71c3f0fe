import { resetFactors } from '../../../application/accounts/operators/reset-factors.ts';
import { operatorName } from '../../operator-name.ts';
import { argumentsIn, ownerIn } from '../arguments.ts';
import { type Command, UsageError } from '../command.ts';
import { ownerName } from './owner-name.ts';

/** For an owner who has lost all second factors and recovery codes. */
export const resetFactorsCommand: Command = {
  usage: 'OWNER',
  summary: 'remove all second factors and recovery codes of an owner who lost them; ends their sessions',
  read(args) {
    const { positionals } = argumentsIn(args, {});
    if (positionals.length > 1) throw new UsageError('Name one owner.');
    const ownerArgument = ownerIn(positionals[0]);
    return async ({ storage, print }) => {
      const { owner, sessions_ended } = await resetFactors(storage, ownerArgument, operatorName());
      print(`${ownerName(owner)}: has no second factor any more; sessions ended: ${sessions_ended}`);
      return 0;
    };
  },
};
