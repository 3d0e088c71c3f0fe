import {
  hasFactor,
  isConfirmed,
  type OwnFactors,
  type SessionFactor,
} from '../../../domain/accounts/factors/factor.ts';
import { type ActionSource, eventOf } from '../../../domain/accounts/security-event.ts';
import { FACTOR, LOGIN } from '../../../domain/limits.ts';
import { Problem } from '../../../domain/problem.ts';
import { DAY } from '../../../domain/time.ts';
import type { Ports, Settings, Stores } from '../../ports.ts';
import { sha256 } from '../../sha256.ts';
import { refusalOf } from '../sign-in/register-owner.ts';
import { hashOfRecoveryCode } from './factor-change.ts';
import { stopFactorReset } from './factor-reset.ts';
import { openTotp } from './totp-secret.ts';

/** The code of a second factor, as a caller sends it. */
export interface SentCode {
  readonly totp?: string | undefined;
  /** Not read where there is a `totp`. */
  readonly recovery_code?: string | undefined;
}

/** What a code has proved. A refusal was noted: its transaction must commit. */
export type CodeVerdict =
  | { readonly isProved: true; readonly factor: SessionFactor | null }
  | { readonly isProved: false; readonly isSent: boolean; readonly refusal: Problem };

export type CodePorts = Pick<Ports, 'oneTimeCodes'> & { readonly settings: Pick<Settings, 'sessionSecret'> };
export type CodeStores = Pick<Stores, 'factors' | 'logins' | 'securityEvents' | 'audit'>;

/**
 * Judges the code of a caller who has proved the rest of the login, in its transaction and after a lock of the owner
 * (`LoginStore.confirm`). A code is used up. Without a second factor none is needed, and one that was sent is not read.
 * Wrong codes, and those under way, are counted for the account. A right one stops a requested removal of the factors.
 */
export async function judgeCode(
  ports: CodePorts,
  stores: CodeStores,
  owner_id: string,
  sent: SentCode,
  now: Date,
  source: ActionSource,
): Promise<CodeVerdict> {
  const factors = await stores.factors.of(owner_id);
  if (!hasFactor(factors)) return { isProved: true, factor: null };
  const { totp, recovery_code } = sent;
  if (totp === undefined && recovery_code === undefined) return { isProved: false, isSent: false, refusal: missing() };
  const factor = totp === undefined ? 'recovery_code' : 'totp';
  const verdict = await counted(stores, owner_id, factor, source, async () => {
    if (totp !== undefined) return usesTotp(ports, stores, owner_id, factors, totp, now);
    const isUsed = await stores.factors.useRecoveryCode(owner_id, hashOfRecoveryCode(owner_id, recovery_code ?? ''));
    if (isUsed) await stores.securityEvents.append(eventOf('recovery_code_used', 'success', owner_id, source));
    return isUsed;
  });
  if (verdict.isProved) await stopFactorReset(stores, owner_id, 'login', source);
  return verdict;
}

/**
 * Counts an attempt before it is judged, in the window of logins and in the day; takes it back when it is right. What is
 * refused is noted.
 */
export async function counted(
  { logins, securityEvents }: Pick<Stores, 'logins' | 'securityEvents'>,
  owner_id: string,
  factor: 'totp' | 'recovery_code',
  source: ActionSource,
  judge: () => Promise<boolean>,
): Promise<CodeVerdict> {
  const attempts = [];
  for (const { name, most, window } of LIMITS) {
    const attempt = await logins.count(sha256(`second factor, ${name} `, owner_id), most, window);
    if (!attempt.admitted) {
      await securityEvents.append(eventOf('lockout', 'failure', owner_id, source));
      return { isProved: false, isSent: true, refusal: refusalOf(attempt, { window, ...TOO_MANY }) };
    }
    attempts.push(attempt);
  }
  if (await judge()) {
    for (const attempt of attempts) await logins.takeBack(attempt);
    return { isProved: true, factor };
  }
  await securityEvents.append({ ...eventOf('factor_failed', 'failure', owner_id, source), subject: factor });
  return { isProved: false, isSent: true, refusal: wrong(factor) };
}

const LIMITS = [
  { name: 'window', most: FACTOR.codesPerWindow, window: LOGIN.window },
  { name: 'day', most: FACTOR.codesPerDay, window: DAY },
] as const;

const TOO_MANY = {
  message: 'There were too many wrong codes of a second factor for this account.',
  suggestion: 'Wait retry_after_seconds; open sessions and API keys go on working.',
};

async function usesTotp(
  { oneTimeCodes, settings }: CodePorts,
  { factors }: Pick<Stores, 'factors'>,
  owner_id: string,
  { totp }: OwnFactors,
  code: string,
  now: Date,
): Promise<boolean> {
  if (!isConfirmed(totp)) return false;
  const secret = openTotp(settings.sessionSecret, owner_id, totp.secret);
  const step = secret === null ? null : oneTimeCodes.stepOf(secret, code, now);
  return step !== null && factors.useTotp(owner_id, totp.secret, step);
}

function missing(): Problem {
  return new Problem('SECOND_FACTOR_REQUIRED', 'The password is right; this account also needs a second factor.');
}

function wrong(path: keyof SentCode): Problem {
  const message =
    path === 'totp' ? 'The code is wrong, or was used before.' : 'There is no such recovery code any more.';
  const suggestion =
    path === 'totp'
      ? 'Wait for the next code of the app, and check the clock of its device.'
      : 'Send another one of the newest set of recovery codes; each works once.';
  return new Problem('SECOND_FACTOR_REQUIRED', message, { suggestion, details: [{ path, message }] });
}
