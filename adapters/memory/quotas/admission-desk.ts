import type { Caller } from '../../../domain/caller.ts';
import { WINDOWS } from '../../../domain/limits.ts';
import type {
  Admission,
  AdmissionDesk,
  AdmissionRequest,
  QuotaUse,
  Spend,
  Spent,
} from '../../../domain/quotas/admission.ts';
import { giveUnitBack, type PoolCount, takeUnits } from '../../../domain/quotas/pools.ts';
import { countRequest } from '../../../domain/quotas/rate-window.ts';
import { MINUTE, utcDate, windowStart } from '../../../domain/time.ts';
import { barredKey, hasCaller, type ProofTables, provenCaller } from './proven-caller.ts';
import { FLOOR, limitsNow, type QuotaTables, quotaKey } from './quota-tables.ts';

type AdmissionTables = QuotaTables & ProofTables;

export function memoryAdmission(tables: AdmissionTables, now: () => Date): AdmissionDesk {
  const { quotas, windows } = tables;
  const today = () => utcDate(limitsNow(tables, now()));
  const admit = async (request: AdmissionRequest): Promise<Admission> => {
    const barred = barredKey(tables, request, limitsNow(tables, now()));
    if (barred) {
      const counted = await admit({ ...request, proof: null });
      return counted.verdict === 'stranger' ? counted : { ...counted, barred };
    }
    const caller = request.proof && provenCaller(tables, request.proof, now());
    if (!caller && request.proof?.credential === 'owner_bearer') return { verdict: 'stranger' };
    const { subject, limits } = countedAs(caller, request);
    const counted = countRequest(windows.get(subject) ?? null, limits, limitsNow(tables, now()));
    const counts = { caller, rate: counted.state, at: now() };
    if (!counted.admitted) return { verdict: 'rate', ...counts, quota: null };
    windows.set(subject, { subject, ...counted.windows });
    if (!caller || !request.spend) return { verdict: 'admitted', ...counts, quota: null, spent: null };
    return { ...counts, ...spend(tables, caller.owner_id, request.spend, today()) };
  };
  return {
    admit,

    async judgeAgain(held) {
      return held.map(
        (each) => barredKey(tables, each, limitsNow(tables, now())) === null && hasCaller(tables, each.proof, now()),
      );
    },

    async giveBack(spent) {
      const key = quotaKey(spent);
      const row = quotas.get(key);
      if (row) quotas.set(key, giveUnitBack(row));
      if (row?.used === 1 && row.pool === 'check') quotas.delete(key);
      return { ...quotaUseOf(quotas.get(quotaKey({ ...spent, day: today() })), today()), at: now() };
    },

    async prune() {
      const floor = limitsNow(tables, new Date(0));
      const oldest = utcDate(floor.getTime() - WINDOWS.keepDays);
      const deleted =
        windows.deleteWhere(({ subject, minute_start }) => !subject.startsWith('key ') && minute_start < floor) +
        quotas.deleteWhere(({ day }) => day < oldest) +
        tables.keptDays.deleteWhere(({ day }) => day < oldest);
      const next = windowStart(new Date(now().getTime() - WINDOWS.keep), MINUTE);
      if (next > floor) tables.floors.set(FLOOR, { at: next });
      return deleted;
    },
  };
}

function countedAs(caller: Caller | null, { address, addressPerMinute, callerLimits }: AdmissionRequest) {
  if (caller === null) return { subject: address, limits: { per_second: null, per_minute: addressPerMinute } };
  const subject = caller.credential === 'api_key' ? `key ${caller.key_prefix}` : `owner ${caller.owner_id}`;
  return { subject, limits: callerLimits };
}

function spend({ quotas }: QuotaTables, owner_id: string, { pool, record_id, base, units }: Spend, day: string) {
  const place = { owner_id, pool, record_id, day };
  const key = quotaKey(place);
  const before = quotaUseOf(quotas.get(key), day);
  if (units === 0) return { verdict: 'admitted', quota: before, spent: null } as const;
  const quota = takeUnits(base, before, units);
  if (!quota) return { verdict: 'quota', quota: before } as const;
  quotas.set(key, { ...place, used: quota.used, credit: quota.credit });
  const spent: Spent = place;
  return { verdict: 'admitted', quota, spent } as const;
}

function quotaUseOf(row: PoolCount | undefined, day: string): QuotaUse {
  return { day, used: row?.used ?? 0, credit: row?.credit ?? 0 };
}
