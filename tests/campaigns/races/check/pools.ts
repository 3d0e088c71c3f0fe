import type { CampaignLimits, Exchange, Finalisation, History, Violation } from '../history.ts';

const QUERY_CREDIT = 10;

/**
 * No pool gives more than its base and its credit. A refusal finds an empty pool, counting units that are taken and not yet
 * returned. The stored use equals the served requests.
 */
export function checkPools(history: History): Violation[] {
  const { exchanges, final, limits, finalisations } = history;
  const byPool = Map.groupBy(
    exchanges.filter(({ pool, owner_id, status }) => pool !== null && owner_id !== null && status !== 401),
    poolOf,
  );
  const rows = new Map(final.pools.map((row) => [`${row.owner_id} ${row.day} ${row.pool} ${row.record_id}`, row]));
  return [...byPool].flatMap(([name, all]) => {
    const row = rows.get(name);
    const served = all.filter(isServed).length;
    const most = baseOf(all[0], limits) + (row?.credit ?? 0);
    return [
      ...(served > most ? [`${name}: ${served} served of ${most}`] : []),
      ...((row?.used ?? 0) === served ? [] : [`${name}: ${served} served, ${row?.used ?? 0} stored`]),
      ...refusedWithUnits(name, all, limits, finalisations),
    ];
  });
}

function poolOf({ owner_id, pool, record_id, headers }: Exchange): string {
  const reset = Number(headers['x-quota-reset']);
  const day = new Date((reset - 1) * 1_000).toISOString().slice(0, 10);
  return `${owner_id} ${day} ${pool} ${pool === 'check' ? record_id : ''}`;
}

function isServed({ status }: Exchange): boolean {
  return status < 400;
}

function baseOf(exchange: Exchange | undefined, limits: CampaignLimits): number {
  switch (exchange?.pool) {
    case 'query':
      return limits.queryPerDay;
    case 'read':
      return limits.readPerDay;
    default:
      return limits.checkPerDecision;
  }
}

function refusedWithUnits(
  name: string,
  all: readonly Exchange[],
  limits: CampaignLimits,
  finalisations: readonly Finalisation[],
): Violation[] {
  const refused = all.filter(({ code }) => code === 'DAILY_QUOTA_EXCEEDED');
  return refused.flatMap((each) => {
    const taken = all.filter((other) => isServed(other) && other.started <= each.ended).length;
    const unsettled = all.filter((other) => wasReturned(other) && overlaps(other, each)).length;
    const credit = each.pool === 'query' ? creditBefore(each, finalisations) : 0;
    const least = baseOf(each, limits) + credit;
    return taken + unsettled < least ? [`${name}: refused at ${each.ended} with ${taken} of ${least} taken`] : [];
  });
}

/** Whether it was admitted, took a unit and was refused later, which returns the unit. */
function wasReturned({ status, code }: Exchange): boolean {
  return status >= 400 && code !== 'RATE_LIMIT_EXCEEDED' && code !== 'DAILY_QUOTA_EXCEEDED';
}

function overlaps(one: Exchange, other: Exchange): boolean {
  return one.started <= other.ended && other.started <= one.ended;
}

function creditBefore({ owner_id, started }: Exchange, finalisations: readonly Finalisation[]): number {
  const records = finalisations.filter(({ ended }) => ended < started).flatMap((each) => each.records);
  return QUERY_CREDIT * records.filter((record) => record.owner_id === owner_id).length;
}
