import { resetPassword } from '../../application/accounts/operators/reset-password.ts';
import { composePasswords } from '../compose/compose-ports.ts';
import { operatorName } from '../operator-name.ts';
import { argumentsIn, ownerIn } from './arguments.ts';
import { type Command, type CommandContext, UsageError } from './command.ts';
import { ownerName } from './owner-name.ts';

/** For an owner who lost the password, or cannot log in because others guess it. */
export const resetPasswordCommand: Command = {
  usage: 'OWNER [--stdin]',
  summary: 'give a password account a new password (a random one, or the line of standard input); ends its sessions',
  read(args) {
    const { positionals, values } = argumentsIn(args, { stdin: { type: 'boolean' } });
    if (positionals.length > 1) throw new UsageError('Name one owner.');
    const ownerArgument = ownerIn(positionals[0]);
    return async (context) => {
      const { storage, config, print } = context;
      const chosen = values.stdin ? await oneLine(context) : null;
      const ports = { ...storage, passwords: composePasswords(config) };
      const { owner, password, sessions_ended } = await resetPassword(ports, ownerArgument, chosen, operatorName());
      print(`${ownerName(owner)}: has a new password; sessions ended: ${sessions_ended}`);
      if (chosen === null) print(password);
      return 0;
    };
  },
};

async function oneLine({ input }: CommandContext): Promise<string> {
  const [line = '', ...rest] = (await input()).split(/\r?\n/);
  if (line === '' || rest.some((text) => text !== '')) throw new UsageError('Send one line: the password.');
  return line;
}
