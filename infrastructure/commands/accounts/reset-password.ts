import { makeResetLink } from '../../../application/accounts/operators/make-reset-link.ts';
import { resetPassword } from '../../../application/accounts/operators/reset-password.ts';
import { addressOfLink } from '../../../domain/mail/mail-text.ts';
import { rfc3339 } from '../../../domain/time.ts';
import { composePasswords } from '../../compose/compose-ports.ts';
import { operatorName } from '../../operator-name.ts';
import { argumentsIn, ownerIn } from '../arguments.ts';
import { type Command, type CommandContext, UsageError } from '../command.ts';
import { ownerName } from './owner-name.ts';

/** For an owner who lost the password, or cannot log in because others guess it. */
export const resetPasswordCommand: Command = {
  usage: 'OWNER [--stdin | --link]',
  summary:
    'give a password account a new password (a random one, or the line of standard input) and end its sessions; with ' +
    '--link print a link by which its owner chooses one, once',
  read(args) {
    const { positionals, values } = argumentsIn(args, { stdin: { type: 'boolean' }, link: { type: 'boolean' } });
    if (positionals.length > 1) throw new UsageError('Name one owner.');
    const ownerArgument = ownerIn(positionals[0]);
    if (values.link && values.stdin) throw new UsageError('Send --link or --stdin.');
    if (values.link) return (context) => printLink(context, ownerArgument);
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

async function printLink({ storage, config, print }: CommandContext, ownerArgument: string): Promise<0> {
  const { owner, token, expires_at } = await makeResetLink(storage, ownerArgument, operatorName());
  print(`${ownerName(owner)}: resets the password by this link, once, until ${rfc3339(expires_at)}`);
  print(addressOfLink(config.server.publicUrl ?? ownAddress(config), 'reset', token));
  return 0;
}

/** Where the service listens, as `npm start` prints it. */
function ownAddress({ server: { host, port } }: CommandContext['config']): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

async function oneLine({ input }: CommandContext): Promise<string> {
  const [line = '', ...rest] = (await input()).split(/\r?\n/);
  if (line === '' || rest.some((text) => text !== '')) throw new UsageError('Send one line: the password.');
  return line;
}
