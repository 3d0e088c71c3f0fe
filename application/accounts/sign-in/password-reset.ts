import { randomBytes } from 'node:crypto';
import { foldEmail, type Owner, ownerGone } from '../../../domain/accounts/owner.ts';
import { type ActionSource, eventOf } from '../../../domain/accounts/security-event.ts';
import type { LinkPurpose } from '../../../domain/accounts/sign-in/one-time-link.ts';
import { MAIL } from '../../../domain/limits.ts';
import type { QueuedMail } from '../../../domain/mail/mail.ts';
import { Problem } from '../../../domain/problem.ts';
import { type Millis, SECOND } from '../../../domain/time.ts';
import { type MailPorts, queueMail, refuseWithoutMail } from '../../mail/queue-mail.ts';
import type { Ports, Stores } from '../../ports.ts';
import { sha256 } from '../../sha256.ts';
import { revokeAllKeys } from '../keys/manage-keys.ts';
import { passwordAccount, refuseNewPassword } from './password-account.ts';
import { hashOfAccount } from './prove-password.ts';
import type { RequestClient } from './register-owner.ts';

/** A token of a one-time link: 256 random bits, so that its hash needs no salt. */
const TOKEN_BYTES = 32;

const TOKEN = /^[\w-]{43}$/;

const LIFE: Readonly<Record<LinkPurpose, Millis>> = { reset: MAIL.resetLife, confirm: MAIL.confirmLife };

export type LinkPorts = Pick<Ports, 'owners' | 'links' | 'transaction'>;
export type ResetPorts = LinkPorts & Pick<Ports, 'passwords'>;

export interface ResetByLink {
  readonly token: string;
  readonly new_password: string;
  /** Whether all API keys of the owner end with the old password. */
  readonly revoke_keys: boolean;
}

export interface DoneReset {
  readonly sessions_ended: number;
  readonly keys_revoked: number;
}

/**
 * Replaces the password of the account of a link, and ends all its sessions. It begins none: a login asks for all that it
 * asks for otherwise. The link works once, and not after another change of the password. One that was mailed confirms the
 * address.
 * @throws Problem LINK_INVALID, WEAK_PASSWORD, RATE_LIMIT_EXCEEDED, SERVICE_UNAVAILABLE when too many passwords are hashed
 */
export async function resetByLink(
  ports: ResetPorts,
  { token, new_password, revoke_keys }: ResetByLink,
  { network, source }: RequestClient,
): Promise<DoneReset> {
  const token_hash = hashOfToken(token);
  const owner = await ownerOfLink(ports, token_hash, 'reset');
  const { owner_id, email, password_hash } = passwordAccount(owner);
  await refuseNewPassword(ports.passwords, new_password, { email }, 'new_password');
  const reset_hash = await ports.passwords.hash(new_password, { purpose: 'change', network });
  return ports.transaction(async (stores) => {
    const { owners, logins, sessions, securityEvents } = stores;
    const link = await redeemed(stores, token_hash, owner);
    if (!(await logins.change(owner_id, password_hash, reset_hash))) throw linkInvalid();
    const sessions_ended = await sessions.destroyOf(owner_id, null);
    await logins.forget(hashOfAccount(email));
    if (link.mailed && owner.email_confirmed_at === null) await owners.confirmEmail(owner_id);
    await securityEvents.append(eventOf('password_reset', 'success', owner_id, source));
    return { sessions_ended, keys_revoked: revoke_keys ? await revokeAllKeys(stores, owner_id, source) : 0 };
  });
}

/** The owner of a valid link. @throws Problem LINK_INVALID */
async function ownerOfLink(
  { links, owners }: Pick<Stores, 'links' | 'owners'>,
  token_hash: Uint8Array | null,
  purpose: 'reset' | 'confirm',
): Promise<Owner> {
  const link = token_hash && (await links.find(token_hash, purpose));
  const owner = link && (await owners.find(link.owner_id));
  if (!link || !owner || !isBoundTo(link, owner)) throw linkInvalid();
  return owner;
}

async function redeemed({ links }: Pick<Stores, 'links'>, token_hash: Uint8Array | null, owner: Owner) {
  const link = token_hash && (await links.redeem(token_hash, 'reset'));
  if (link?.owner_id !== owner.owner_id) throw linkInvalid();
  return link;
}

export type ResetRequestPorts = MailPorts & Pick<Ports, 'transaction'>;

/**
 * Queues a mail with a link that resets the password of the account of this address. Whether there is an account is looked
 * up when the mail is sent, not here: so neither the reply nor its time depends on it.
 * @throws Problem MAIL_NOT_CONFIGURED, RATE_LIMIT_EXCEEDED after `MAIL.onRequestPerHour` mails to the address
 */
export async function requestReset(ports: ResetRequestPorts, email: string, source: ActionSource): Promise<void> {
  refuseWithoutMail(ports);
  const content = { to: email, source, subject: null, link: null };
  const mail = { kind: 'password_reset', owner_id: null, content } as const;
  refuseFlood(await ports.transaction((stores) => queueMail(stores, ports.settings, mail)));
}

/** @throws Problem RATE_LIMIT_EXCEEDED for a mail that was not admitted */
function refuseFlood({ at, free_at }: QueuedMail): void {
  if (free_at === null) return;
  throw new Problem('RATE_LIMIT_EXCEEDED', `An address gets ${MAIL.onRequestPerHour} mails with a link in an hour.`, {
    suggestion: 'Use the newest link; look among unwanted mail too. Or wait retry_after_seconds.',
    retry_after_seconds: (free_at.getTime() - at.getTime()) / SECOND,
  });
}

export interface MadeLink {
  /** The token itself, for its owner alone. */
  readonly token: string;
  readonly expires_at: Date;
}

/**
 * Makes a link for the owner, in place of the earlier one of that purpose; null for an owner who is gone or suspended.
 * @throws Problem PASSWORDLESS_ACCOUNT
 */
export async function makeLink(
  { links }: Pick<Stores, 'links'>,
  owner: Owner,
  purpose: LinkPurpose,
  mailed: boolean,
): Promise<MadeLink | null> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const link = {
    token_hash: sha256(token),
    owner_id: owner.owner_id,
    purpose,
    bound_to: boundTo(owner, purpose),
    mailed,
  };
  const expires_at = await links.put(link, LIFE[purpose]);
  return expires_at && { token, expires_at };
}

/** The hash under which a token is stored; null for a text that is no token. */
function hashOfToken(token: string): Uint8Array | null {
  return TOKEN.test(token) ? sha256(token) : null;
}

/** What a link is for: it is void once the owner has another password, or another address. */
function boundTo(owner: Owner, purpose: LinkPurpose): Uint8Array {
  const { email, password_hash } = passwordAccount(owner);
  return purpose === 'reset' ? sha256('reset', password_hash) : sha256('confirm', foldEmail(email));
}

function isBoundTo(link: { readonly bound_to: Uint8Array; readonly purpose: LinkPurpose }, owner: Owner): boolean {
  return Buffer.from(link.bound_to).equals(boundTo(owner, link.purpose));
}

/** The refusal of a link; it does not say why. */
function linkInvalid(): Problem {
  return new Problem('LINK_INVALID', 'This link was used, replaced by a newer one, or has expired.');
}

interface EmailState {
  readonly email: string;
  /** null: not confirmed. */
  readonly email_confirmed_at: Date | null;
}

/**
 * Queues a mail with a link that confirms the owner's address, unless it is confirmed.
 * @throws Problem MAIL_NOT_CONFIGURED, PASSWORDLESS_ACCOUNT, RATE_LIMIT_EXCEEDED after `MAIL.onRequestPerHour` mails
 */
export async function requestConfirmation(
  ports: MailPorts & Pick<Ports, 'owners' | 'transaction'>,
  owner_id: string,
  source: ActionSource,
): Promise<EmailState> {
  refuseWithoutMail(ports);
  const owner = await ports.owners.find(owner_id);
  if (!owner) throw ownerGone();
  const { email, email_confirmed_at } = passwordAccount(owner);
  if (email_confirmed_at === null) {
    const content = { to: email, source, subject: null, link: null };
    const mail = { kind: 'email_confirmation', owner_id, content } as const;
    refuseFlood(await ports.transaction((stores) => queueMail(stores, ports.settings, mail)));
  }
  return { email, email_confirmed_at };
}

/**
 * Confirms the address of the account of a link, which works once.
 * @returns since when it is confirmed
 * @throws Problem LINK_INVALID
 */
export async function confirmEmail(ports: LinkPorts, token: string, source: ActionSource): Promise<Date> {
  const token_hash = hashOfToken(token);
  const { owner_id } = await ownerOfLink(ports, token_hash, 'confirm');
  return ports.transaction(async ({ links, owners, securityEvents }) => {
    const link = token_hash && (await links.redeem(token_hash, 'confirm'));
    const email_confirmed_at = link?.owner_id === owner_id ? await owners.confirmEmail(owner_id) : null;
    if (email_confirmed_at === null) throw linkInvalid();
    await securityEvents.append(eventOf('email_confirmed', 'success', owner_id, source));
    return email_confirmed_at;
  });
}
