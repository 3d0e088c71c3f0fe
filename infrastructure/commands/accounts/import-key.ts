import { randomBytes } from 'node:crypto';
import { importKey } from '../../../application/accounts/keys/import-key.ts';
import { makeApiKey } from '../../../domain/accounts/keys/api-key.ts';
import { PERMISSION_MODES } from '../../../domain/caller.ts';
import { ACCOUNT } from '../../../domain/limits.ts';
import { operatorName } from '../../operator-name.ts';
import { argumentsIn, oneOf, ownerIn } from '../arguments.ts';
import { type Command, UsageError } from '../command.ts';

const OPTIONS = {
  mode: { type: 'string', default: 'read_write' },
  label: { type: 'string' },
  new: { type: 'boolean', default: false },
} as const;

/** Adds a key that belongs to no agent. Standard input takes the key, because every user of the machine can see arguments. */
export const importKeyCommand: Command = {
  usage: `OWNER [--mode ${PERMISSION_MODES.join('|')}] [--label LABEL] [--new] < KEY_FILE`,
  summary: 'let a key of another installation, from standard input, read for an owner; --new makes one and prints it',
  read(args) {
    const { positionals, values } = argumentsIn(args, OPTIONS);
    if (positionals.length > 1) throw new UsageError('Name one owner; the key comes from standard input.');
    const ownerArgument = ownerIn(positionals[0]);
    const permission_mode = oneOf(PERMISSION_MODES, values.mode, '--mode');
    const label = labelIn(values.label);
    return async ({ storage, print, input }) => {
      const key = values.new ? makeApiKey(randomBytes).key : (await input()).trim();
      const { owner, key_prefix } = await importKey(
        storage,
        ownerArgument,
        { key, permission_mode, label },
        operatorName(),
      );
      print(`${key_prefix}: reads for ${owner.owner_id} (${permission_mode}, bound to no agent, so it cannot submit)`);
      if (values.new) print(key);
      return 0;
    };
  },
};

function labelIn(sent: string | undefined): string | null {
  const label = sent?.trim();
  if (label === undefined) return null;
  if (label !== '' && [...label].length <= ACCOUNT.keyLabelLength) return label;
  throw new UsageError(`--label: send 1 to ${ACCOUNT.keyLabelLength} characters.`);
}
