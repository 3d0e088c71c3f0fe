import { type PublicHandle, type PublicRow, publicHandle } from '../../domain/decisions/views/public-views.ts';
import { NEWEST_PUBLIC } from '../../domain/limits.ts';
import { MARKETS, type Market } from '../../domain/market/venues.ts';
import type { Ports } from '../ports.ts';

type World = Pick<Ports, 'cohorts' | 'clock'>;

/**
 * The newest public records by `data_cutoff`, whatever the size of their cohorts, retroactive ones included. Nothing in
 * it counts or names owners (settled.md section 6: public rows are not secret). A record is listed from the minute on
 * that others see as its `evaluated_at`, so that repeated requests show no finer time.
 * @param limit at most NEWEST_PUBLIC.most; more is read as that
 */
export async function listPublicDecisions(
  { cohorts, clock }: World,
  limit: number = NEWEST_PUBLIC.byDefault,
): Promise<{ readonly items: readonly PublicHandle[] }> {
  const most = Math.min(limit, NEWEST_PUBLIC.most);
  if (most === 0) return { items: [] };
  const as_of = await clock.now();
  const rows = await Promise.all(MARKETS.map((market) => newestOf(cohorts, market, as_of, most)));
  return { items: rows.flat().toSorted(newestFirst).slice(0, most).map(publicHandle) };
}

async function newestOf(cohorts: World['cohorts'], market: Market, as_of: Date, limit: number) {
  const filter = { market, include_retroactive: true };
  const { moment } = await cohorts.summarise(filter, 1);
  return cohorts.page({ ...filter, as_of }, { sort: 'data_cutoff_desc', limit, after: null, moment });
}

function newestFirst(a: PublicRow, b: PublicRow): number {
  return Number(b.data_cutoff) - Number(a.data_cutoff) || (a.record_id < b.record_id ? 1 : -1);
}
