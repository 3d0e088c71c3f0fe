import { randomBytes } from 'node:crypto';
import type { Owner } from '../../../domain/accounts/owner.ts';
import { type ActionSource, eventOf } from '../../../domain/accounts/security-event.ts';
import { type CountedAttempt, endOfWindow } from '../../../domain/accounts/sign-in/login-store.ts';
import { uuidV7 } from '../../../domain/identifiers.ts';
import { Problem } from '../../../domain/problem.ts';
import { DAY, type Millis, SECOND } from '../../../domain/time.ts';
import type { Ports, Settings } from '../../ports.ts';
import { networkHash } from '../../sealed-secret.ts';
import { sha256 } from '../../sha256.ts';
import { refuseKeyOfNewAccount } from '../factors/required-factor.ts';
import { addAgent } from '../keys/add-agent.ts';
import { type IssuedKey, issueKey } from '../keys/issue-key.ts';
import { refuseNewPassword } from './password-account.ts';

const FIRST_AGENT = 'First agent';

export interface Registration {
  /** Well-formed; compared case-folded, stored as sent. */
  readonly email: string;
  readonly password: string;
  /** Also registers an agent of that name. */
  readonly agent_name?: string | undefined;
}

interface RegisteredOwner extends Owner {
  readonly email: string;
}

export type RegistrationPorts = Pick<Ports, 'transaction' | 'logins' | 'securityEvents' | 'passwords' | 'clock'> &
  NewAccountSettings;

/**
 * Opens an account that logs in by email and password (settled.md section 8).
 * @throws Problem WEAK_PASSWORD, EMAIL_TAKEN, RATE_LIMIT_EXCEEDED where the day's accounts are used up, also of the
 * network, or too many passwords of it are being hashed, SERVICE_UNAVAILABLE when too many are
 */
export async function registerOwner(
  ports: RegistrationPorts,
  registration: Registration,
  client: RequestClient,
): Promise<RegisteredOwner> {
  const { email, password } = registration;
  await refuseNewPassword(ports.passwords, password, { email });
  return counted(ports, newAccountLimits(ports.settings, client.network), () => open(ports, registration, client));
}

async function open(
  { transaction, securityEvents, passwords, clock }: RegistrationPorts,
  { email, password, agent_name }: Registration,
  { network, source }: RequestClient,
): Promise<RegisteredOwner> {
  const password_hash = await passwords.hash(password, { purpose: 'sign-up', network });
  const created_at = await clock.now();
  const owner_id = uuidV7(created_at, randomBytes(10));
  const unmarked = { suspended_at: null, email_confirmed_at: null, erases_at: null } as const;
  const terms = { role: 'owner', tier: 'free', created_at, ...unmarked } as const;
  const owner = { owner_id, email, password_hash, ...terms };
  const isAdded = await transaction(async (stores) => {
    if (!(await stores.owners.add(owner))) return false;
    if (agent_name !== undefined) await addAgent(stores, owner, agent_name, created_at);
    await stores.securityEvents.append(eventOf('registration', 'success', owner_id, source));
    return true;
  });
  if (isAdded) return owner;
  await securityEvents.append(eventOf('registration', 'failure', null, source));
  throw new Problem('EMAIL_TAKEN', 'An account with this email address already exists.');
}

interface QuickSetup {
  readonly owner: RegisteredOwner;
  readonly key: IssuedKey & { readonly agent_id: string };
}

/**
 * Creates an account, its first agent and a read_write key for it, in one call (settled.md section 8). The account is
 * committed before the key is made, so that a caller whose key could not be made can still log in.
 * @throws Problem WEAK_PASSWORD, EMAIL_TAKEN, KEY_ISSUANCE_FAILED, FACTOR_REQUIRED where accounts need a second factor before
 */
export async function quickSetup(
  ports: QuickSetupPorts,
  { email, password, agent_name = FIRST_AGENT }: Registration,
  client: RequestClient,
): Promise<QuickSetup> {
  refuseKeyOfNewAccount(ports.settings);
  const owner = await registerOwner(ports, { email, password }, client);
  try {
    return { owner, key: await firstKey(ports, owner, agent_name, client.source) };
  } catch (cause) {
    throw new Problem('KEY_ISSUANCE_FAILED', 'The account was created, but its API key was not.', { cause });
  }
}

function firstKey(
  { transaction }: Pick<Ports, 'transaction'>,
  owner: RegisteredOwner,
  name: string,
  source: ActionSource,
) {
  return transaction(async (stores) => {
    const { agent_id } = await addAgent(stores, owner, name, owner.created_at);
    const terms = { agent_id, permission_mode: 'read_write', label: name, created_at: owner.created_at } as const;
    return { ...(await issueKey(stores, owner, terms, source)), agent_id };
  });
}

/** Who sends a request that opens an account or proves a password. */
export interface RequestClient {
  /** As addresses are counted; never stored. */
  readonly network: string;
  /** For the security events that the request causes. */
  readonly source: ActionSource;
}

/** Who tries a password. */
export interface PasswordClient extends RequestClient {
  /** The token of a device that came with the request, not verified; see `deviceToken`. */
  readonly device: string | undefined;
}

export interface NewAccountSettings {
  readonly settings: Pick<Settings, 'limits' | 'sessionSecret'>;
}

export type QuickSetupPorts = RegistrationPorts & { readonly settings: Pick<Settings, 'ownerFactorRequired'> };

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

/** A limit on what may be done in a fixed window. */
export interface CountedLimit {
  /** The hash of what is counted. */
  readonly subject: Uint8Array;
  readonly most: number;
  readonly window: Millis;
  /** Of the refusal. */
  readonly message: string;
  readonly suggestion: string;
}

/**
 * Counts in the current window of each limit, then does the work; what throws is taken back. So never more is done in a
 * window than its limit, and work in progress counts.
 * @throws Problem RATE_LIMIT_EXCEEDED where a window is full
 */
export async function counted<T>(
  { logins }: Pick<Ports, 'logins'>,
  limits: readonly CountedLimit[],
  work: () => Promise<T>,
): Promise<T> {
  const attempts: CountedAttempt[] = [];
  try {
    for (const limit of limits) {
      const attempt = await logins.count(limit.subject, limit.most, limit.window);
      if (!attempt.admitted) throw refusalOf(attempt, limit);
      attempts.push(attempt);
    }
    return await work();
  } catch (fault) {
    for (const attempt of attempts) await logins.takeBack(attempt);
    throw fault;
  }
}

/** The refusal of an attempt that a full window did not admit. */
export function refusalOf(attempt: CountedAttempt, limit: Omit<CountedLimit, 'subject' | 'most'>): Problem {
  const left = endOfWindow(attempt.window_start, limit.window).getTime() - attempt.at.getTime();
  const { message, suggestion } = limit;
  return new Problem('RATE_LIMIT_EXCEEDED', message, { suggestion, retry_after_seconds: left / SECOND });
}
