import { isExpiringSoon, type KeyInfo } from '../../domain/accounts/keys/api-key.ts';
import type { OwnerCounts } from '../../domain/accounts/owner.ts';
import type { QuotaUsage } from '../../domain/quotas/pools.ts';
import type { Ports } from '../ports.ts';

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
