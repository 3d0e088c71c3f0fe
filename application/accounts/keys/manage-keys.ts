import { randomBytes } from 'node:crypto';
import {
  auditedBounds,
  countOfNetworks,
  type KeyChanges,
  type KeyInfo,
  makeApiKey,
  renewedExpiry,
} from '../../../domain/accounts/keys/api-key.ts';
import { type ActionSource, eventOf } from '../../../domain/accounts/security-event.ts';
import { type Given, given } from '../../../domain/given.ts';
import { Problem } from '../../../domain/problem.ts';
import { keep } from '../../quotas/keep.ts';
import type { ConfirmLogin } from '../sign-in/recent-login.ts';
import type { RequestClient } from '../sign-in/register-owner.ts';
import type { BoundKey, KeyChangePorts } from './create-key.ts';
import { hashOfKey, type KeyStores } from './issue-key.ts';

/**
 * Changes what a key may do and from where, for every request that authenticates after this (interface.md 4.3). A mode that
 * allows more needs a recent login, and so do other networks. `read_only` alone is always accepted: it takes rights away, and
 * is written down where it changes the key.
 * @throws Problem NOT_FOUND, REAUTHENTICATION_REQUIRED, DAILY_QUOTA_EXCEEDED
 */
export async function changeKey(
  { transaction, settings }: Omit<KeyChangePorts, 'clock'>,
  owner_id: string,
  key_prefix: string,
  changes: Given<KeyChanges>,
  { network, source }: RequestClient,
  confirmLogin: ConfirmLogin,
): Promise<KeyInfo> {
  return transaction(async (stores) => {
    const { apiKeys, securityEvents, audit } = stores;
    const { permission_mode, allowed_networks } = changes;
    const isMore = permission_mode === 'read_write' || allowed_networks !== undefined;
    if (isMore) await confirmLogin(stores);
    const before = await apiKeys.find(owner_id, key_prefix);
    if (before && !isMore && isAs(before, changes)) return before;
    const key = await apiKeys.change(owner_id, key_prefix, given(changes));
    if (!key) throw noSuchKey();
    await securityEvents.append({ ...eventOf('key_changed', 'success', owner_id, source), subject: key_prefix });
    const entry = { actor: owner_id, subject: key_prefix };
    if (permission_mode) await audit.append({ ...entry, action: 'set_key_mode', detail: { permission_mode } });
    if (allowed_networks !== undefined)
      await audit.append({
        ...entry,
        action: 'set_key_networks',
        detail: { networks: countOfNetworks(allowed_networks) },
      });
    if (isMore) await keep(stores, settings, { owner_id, network }, 'account_change');
    return key;
  });
}

/** Whether the key has all of the values already. */
function isAs(key: KeyInfo, changes: Given<KeyChanges>): boolean {
  return Object.entries(given(changes)).every(([name, value]) => key[name as keyof KeyChanges] === value);
}

/**
 * Revokes a key at once and for good, on every process (interface.md section 5).
 * @throws Problem NOT_FOUND, also for a key that was revoked before
 */
export async function revokeKey(
  { transaction }: Pick<KeyChangePorts, 'transaction'>,
  owner_id: string,
  key_prefix: string,
  source: ActionSource,
): Promise<void> {
  await transaction(async ({ apiKeys, securityEvents, audit }) => {
    if (!(await apiKeys.revoke(owner_id, key_prefix))) throw noSuchKey();
    await securityEvents.append({ ...eventOf('key_revoked', 'success', owner_id, source), subject: key_prefix });
    await audit.append({ actor: owner_id, action: 'revoke_key', subject: key_prefix, detail: {} });
  });
}

/** Revokes all keys of the owner, as `revokeKey` does one; returns how many. */
export async function revokeAllKeys(
  { apiKeys, securityEvents, audit }: KeyStores,
  owner_id: string,
  source: ActionSource,
): Promise<number> {
  const revoked = await apiKeys.revokeAll(owner_id);
  await noteRevoked({ securityEvents, audit }, owner_id, revoked, source);
  return revoked.length;
}

/** Writes down that keys of the owner were revoked. */
export async function noteRevoked(
  { securityEvents, audit }: Pick<KeyStores, 'securityEvents' | 'audit'>,
  owner_id: string,
  revoked: readonly string[],
  source: ActionSource,
): Promise<void> {
  for (const subject of revoked) {
    await securityEvents.append({ ...eventOf('key_revoked', 'success', owner_id, source), subject });
  }
  // Last: entries of the audit log are written one transaction at a time.
  for (const subject of revoked) await audit.append({ actor: owner_id, action: 'revoke_key', subject, detail: {} });
}

/**
 * Replaces a key, which is revoked at once, by a new one with the same agent, mode, label, networks and length of life, also when
 * it has expired (interface.md section 5).
 * The number of keys stays the same, so that it works at the limit of the tier too.
 * @throws Problem REAUTHENTICATION_REQUIRED, NOT_FOUND, KEY_UNBOUND for a legacy key, DAILY_QUOTA_EXCEEDED
 */
export async function rotateKey(
  { transaction, clock, settings }: KeyChangePorts,
  owner_id: string,
  key_prefix: string,
  { network, source }: RequestClient,
  confirmLogin: ConfirmLogin,
): Promise<BoundKey> {
  const made = makeApiKey(randomBytes);
  const created_at = await clock.now();
  return transaction(async (stores) => {
    await confirmLogin(stores);
    const { apiKeys, securityEvents, audit } = stores;
    const old = await apiKeys.find(owner_id, key_prefix);
    if (!old) throw noSuchKey();
    const { agent_id } = old;
    if (agent_id === null) throw new Problem('KEY_UNBOUND', 'A key that is bound to no agent cannot be rotated.');
    const expires_at = renewedExpiry(old, created_at);
    const successor = { key_prefix: made.key_prefix, key_hash: hashOfKey(made.key), created_at, expires_at };
    const key = await apiKeys.rotate(owner_id, key_prefix, successor);
    if (!key) throw noSuchKey();
    const { permission_mode } = key;
    const rotated = { ...eventOf('key_rotated', 'success', owner_id, source), subject: key_prefix };
    await securityEvents.append(rotated);
    await securityEvents.append({ ...rotated, kind: 'key_created', subject: made.key_prefix });
    const events = [
      { action: 'rotate_key', subject: key_prefix, detail: { successor: made.key_prefix } },
      {
        action: 'create_key',
        subject: made.key_prefix,
        detail: { agent_id, permission_mode, ...auditedBounds(key), predecessor: key_prefix },
      },
    ];
    for (const event of events) await audit.append({ actor: owner_id, ...event });
    await keep(stores, settings, { owner_id, network }, 'account_change');
    return { ...key, api_key: made.key, owner_id, agent_id };
  });
}

function noSuchKey(): Problem {
  const suggestion = 'GET /api/v1/owner/auth/api-keys lists your keys, without revoked ones.';
  return new Problem('NOT_FOUND', 'You have no such key.', { suggestion });
}
