import { DAY } from '../../../domain/time.ts';
import { networkHash } from '../../network-hash.ts';
import type { Settings } from '../../ports.ts';
import { sha256 } from '../../sha256.ts';
import type { CountedLimit } from './counted.ts';

export interface NewAccountSettings {
  readonly settings: Pick<Settings, 'limits' | 'sessionSecret'>;
}

/** The limits on new accounts of a UTC day: those of one network, and all. However an account is opened, it counts. */
export function newAccountLimits(
  { limits, sessionSecret }: NewAccountSettings['settings'],
  network: string,
): readonly CountedLimit[] {
  const { accountsPerAddress, accountsPerDay } = limits;
  const suggestion = 'Wait until 00:00 UTC, or ask the operator.';
  return [
    {
      subject: sha256('new accounts of a network', networkHash(sessionSecret, network)),
      most: accountsPerAddress,
      window: DAY,
      message: `Only ${accountsPerAddress} accounts a day may be opened from one address.`,
      suggestion,
    },
    {
      subject: sha256('new accounts'),
      most: accountsPerDay,
      window: DAY,
      message: 'No more accounts may be opened today.',
      suggestion,
    },
  ];
}
