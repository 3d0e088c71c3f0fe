import { isExpiringSoon, type KeyInfo } from '../../domain/accounts/keys/api-key.ts';
import { type OwnerCounts, ownerGone } from '../../domain/accounts/owner.ts';
import {
  type LegalAcceptance,
  type LegalStatus,
  legalStatus,
  mergePreferences,
  type Preferences,
  type PreferencesPatch,
  refuseUnknownVersions,
} from '../../domain/accounts/profile.ts';
import type { SecurityEventFilter, StoredSecurityEvent } from '../../domain/accounts/security-event.ts';
import type { Caller, PermissionMode, Role, Tier } from '../../domain/caller.ts';
import type { QuotaUsage } from '../../domain/quotas/pools.ts';
import { rfc3339 } from '../../domain/time.ts';
import { type CursorPage, type CursorQuery, cutPage, sealCursor, sealedPlace } from '../page-cursor.ts';
import type { Ports } from '../ports.ts';
import { type Keeper, keep } from '../quotas/keep.ts';
import { factorRefusal, type RequiredFactorPorts } from './factors/required-factor.ts';
import type { PresentedCredential } from './sign-in/proof-of-credential.ts';

/**
 * Merges a change into the owner's preferences; concurrent changes are merged one after the other (interface.md 4.3).
 * @returns the merged preferences
 * @throws Problem VALIDATION_ERROR when more than 8 KiB would be stored, UNAUTHORIZED when the owner is gone meanwhile
 */
export function setPreferences(
  { transaction }: Pick<Ports, 'transaction'>,
  owner_id: string,
  patch: PreferencesPatch,
): Promise<Preferences> {
  return transaction(async ({ profiles }) => {
    const stored = await profiles.lockPreferences(owner_id);
    if (!stored) throw ownerGone();
    const merged = mergePreferences(stored, patch);
    await profiles.setPreferences(owner_id, merged);
    return merged;
  });
}

export type AcceptPorts = Pick<Ports, 'transaction' | 'settings' | 'clock'>;

/** What the owner accepted last, and whether that is current (settled.md section 8). */
export async function readLegalStatus(
  { profiles, settings }: Pick<Ports, 'profiles' | 'settings'>,
  owner_id: string,
): Promise<LegalStatus> {
  return legalStatus(await profiles.lastAcceptance(owner_id), settings.legal);
}

/**
 * Stores that the owner accepted these versions; earlier acceptances stay (interface.md 4.3).
 * @throws Problem UNKNOWN_LEGAL_VERSION, DAILY_QUOTA_EXCEEDED, UNAUTHORIZED when the owner is gone meanwhile
 */
export async function acceptLegal(
  { transaction, settings, clock }: AcceptPorts,
  keeper: Keeper,
  accepted: Omit<LegalAcceptance, 'accepted_at'>,
): Promise<LegalStatus> {
  refuseUnknownVersions(accepted, settings.legal);
  const acceptance = { ...accepted, accepted_at: await clock.now() };
  await transaction(async ({ profiles, kept }) => {
    if (!(await profiles.accept(keeper.owner_id, acceptance))) throw ownerGone();
    await keep({ kept }, settings, keeper, 'acceptance');
  });
  return legalStatus(acceptance, settings.legal);
}

/** What an owner has, and what remains of today's pools, in raw counts (settled.md section 8). */
export interface Dashboard {
  readonly counts: OwnerCounts;
  readonly pools: QuotaUsage;
  /** Those that the owner should replace, the first to expire first. */
  readonly expiringKeys: readonly (KeyInfo & { readonly expires_at: Date })[];
}

export async function readDashboard(
  { ownerOverview, apiKeys, quotas, settings }: Pick<Ports, 'ownerOverview' | 'apiKeys' | 'quotas' | 'settings'>,
  owner_id: string,
): Promise<Dashboard> {
  const [counts, pools, keys] = await Promise.all([
    ownerOverview.counts(owner_id),
    quotas.usage(owner_id, settings.limits),
    apiKeys.list(owner_id),
  ]);
  const expiringKeys = keys
    .filter((key) => isExpiringSoon(key, counts.at))
    .toSorted((a, b) => a.expires_at.getTime() - b.expires_at.getTime());
  return { counts, pools, expiringKeys };
}

/** What a valid credential allows (settled.md section 8). */
export interface Capabilities {
  readonly authenticated: true;
  readonly credential: Caller['credential'];
  readonly owner_id: string;
  /** Null for an owner, and for a legacy key without an agent. */
  readonly agent_id: string | null;
  /** Null for an owner. */
  readonly permission_mode: PermissionMode | null;
  /** Only a read_write key that is bound to an agent. */
  readonly can_submit: boolean;
  readonly can_query: boolean;
  readonly tier: Tier;
  /** Of an owner: since when the address is confirmed; null: it is not, or there is none. */
  readonly email_confirmed_at?: Date | null;
  readonly quota?: QuotaUsage;
  /** Who the owner is, for an owner only: the keys of agents do not show it. */
  readonly owner?: {
    readonly email: string | null;
    readonly role: Role;
    /** Whether this session or token does nothing else before a second factor is added to it (OWNER_FACTOR). */
    readonly needs_factor: boolean;
  };
}

/** What the caller may do, with the owner's daily pools if requested; it spends nothing (interface.md section 8). */
export async function capabilitiesOf(
  ports: Pick<Ports, 'quotas' | 'owners' | 'settings'> & RequiredFactorPorts,
  caller: Caller,
  presented: PresentedCredential | null,
  withQuota: boolean,
): Promise<Capabilities> {
  const { quotas, owners, settings } = ports;
  const { credential, owner_id, tier } = caller;
  const { agent_id, permission_mode } = caller.credential === 'api_key' ? caller : NO_KEY;
  const can_submit = agent_id !== null && permission_mode === 'read_write';
  const quota = withQuota ? { quota: await quotas.usage(owner_id, settings.limits) } : {};
  const owner = caller.credential === 'api_key' ? null : await owners.find(owner_id);
  const needs_factor = presented !== null && (await factorRefusal(ports, 'owner', owner_id, presented)) !== null;
  return {
    authenticated: true,
    credential,
    owner_id,
    agent_id,
    permission_mode,
    can_submit,
    can_query: !needs_factor,
    tier,
    ...(owner && { email_confirmed_at: owner.email_confirmed_at }),
    ...quota,
    ...(caller.credential !== 'api_key' && { owner: { email: owner?.email ?? null, role: caller.role, needs_factor } }),
  };
}

const NO_KEY = { agent_id: null, permission_mode: null } as const;

/**
 * A page of the security events that match the query, the newest first; without `owner_id` of all owners and of unknown
 * callers. The pages of a query contain each event once, and none that begins meanwhile.
 * @throws Problem VALIDATION_ERROR for a cursor of another query
 */
export async function listSecurityEvents(
  { securityEvents, settings }: Pick<Ports, 'securityEvents' | 'settings'>,
  { cursor, limit, ...filter }: SecurityEventFilter & CursorQuery,
): Promise<CursorPage<StoredSecurityEvent>> {
  const about = ['security events', filter];
  const sealed = sealedPlace(settings.sessionSecret, about, cursor) as readonly [string, string] | null;
  const after = sealed && { at: new Date(sealed[0]), seq: sealed[1] };
  const { rows: items, last } = await cutPage((most) => securityEvents.list(filter, after, most), limit);
  return { items, next_cursor: last ? sealCursor(settings.sessionSecret, about, [rfc3339(last.at), last.seq]) : null };
}
