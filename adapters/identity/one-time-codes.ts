import { Secret, TOTP } from 'otpauth';
import type { OneTimeCodes } from '../../domain/accounts/factors/one-time-codes.ts';
import { TOTP as RULES } from '../../domain/limits.ts';
import { SECOND } from '../../domain/time.ts';

/** Codes by otpauth. @param issuer how apps name the service */
export function oneTimeCodes(issuer = 'Stancebook'): OneTimeCodes {
  const of = (secret: string, label = '') =>
    new TOTP({
      issuer,
      label,
      algorithm: 'SHA1',
      digits: RULES.digits,
      period: RULES.step / SECOND,
      secret: Secret.fromBase32(secret),
    });
  return {
    newSecret: () => new Secret({ size: RULES.secretBytes }).base32,

    uri: (secret, account) => of(secret, account).toString(),

    stepOf(secret, code, at) {
      const [codes, timestamp] = [of(secret), at.getTime()];
      const offset = codes.validate({ token: code, timestamp, window: RULES.drift });
      return offset === null ? null : codes.counter({ timestamp }) + offset;
    },
  };
}
