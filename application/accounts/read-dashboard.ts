import type { OwnerCounts } from '../../domain/accounts/owner-overview.ts';
import type { QuotaUsage } from '../../domain/quotas/quota-reader.ts';
import type { Ports } from '../ports.ts';

/** What an owner has, and what remains of today's pools, in raw counts (settled.md section 8). */
export interface Dashboard {
  readonly counts: OwnerCounts;
  readonly pools: QuotaUsage;
}

export async function readDashboard(
  { ownerOverview, quotas, settings }: Pick<Ports, 'ownerOverview' | 'quotas' | 'settings'>,
  owner_id: string,
): Promise<Dashboard> {
  const [counts, pools] = await Promise.all([ownerOverview.counts(owner_id), quotas.usage(owner_id, settings.limits)]);
  return { counts, pools };
}
