import { type BarredKey, keyBar } from '../../../domain/accounts/keys/api-key.ts';
import { isOver, isToBeNoted } from '../../../domain/accounts/sign-in/session.ts';
import type { Caller, KeyCaller, OwnerCaller } from '../../../domain/caller.ts';
import { WINDOWS } from '../../../domain/limits.ts';
import {
  type Admission,
  type AdmissionDesk,
  type AdmissionRequest,
  countRequest,
  type Proof,
  type QuotaUse,
  type Spend,
  type Spent,
} from '../../../domain/quotas/admission.ts';
import { giveUnitBack, type PoolCount, takeUnits } from '../../../domain/quotas/pools.ts';
import { MINUTE, utcDate, windowStart } from '../../../domain/time.ts';
import type { KeyTables } from '../accounts/key-stores.ts';
import { type IdentityTables, ownerOf } from '../accounts/provider-stores.ts';
import type { SessionTables } from '../accounts/sign-in-stores.ts';
import { hex } from '../kit/table.ts';
import { FLOOR, limitsNow, type QuotaTables, quotaKey } from './quota-tables.ts';

type AdmissionTables = QuotaTables & ProofTables;

export function memoryAdmission(tables: AdmissionTables, now: () => Date): AdmissionDesk {
  const { quotas, windows } = tables;
  const today = () => utcDate(limitsNow(tables, now()));
  const admit = async (request: AdmissionRequest): Promise<Admission> => {
    const barred = barredKey(tables, request, limitsNow(tables, now()));
    if (barred) {
      const counted = await admit({ ...request, proof: null });
      return counted.verdict === 'no_active_owner' ? counted : { ...counted, barred };
    }
    const caller = request.proof && provenCaller(tables, request.proof, now());
    if (!caller && request.proof?.credential === 'owner_bearer') return { verdict: 'no_active_owner' };
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

interface ProofTables extends KeyTables, SessionTables, IdentityTables {}

/** The owner of the credential; null without one. The use of a session is noted. */
function provenCaller(tables: ProofTables, proof: Proof, at: Date): Caller | null {
  switch (proof.credential) {
    case 'api_key':
      return byKey(tables, proof.key_hash);
    case 'legacy_session':
      return bySession(tables, proof.session_hash, at);
    case 'owner_bearer': {
      const owner = ownerOf(tables, proof.identity);
      if (!owner || owner.suspended_at !== null) return null;
      return { credential: 'owner_bearer', owner_id: owner.owner_id, role: owner.role, tier: owner.tier };
    }
  }
}

/** Whether the proof stands for a caller; the use of a session is not noted. */
function hasCaller(tables: ProofTables, proof: Proof, at: Date): boolean {
  if (proof.credential !== 'legacy_session') return provenCaller(tables, proof, at) !== null;
  return sessionOf(tables, proof.session_hash, at) !== null;
}

/** The unrevoked key of the request, where its bounds refuse it. */
function barredKey(
  { keys }: KeyTables,
  { proof, from }: Pick<AdmissionRequest, 'proof' | 'from'>,
  at: Date,
): BarredKey | null {
  const key = proof?.credential === 'api_key' ? keys.get(hex(proof.key_hash)) : undefined;
  if (!key || key.revoked_at !== null) return null;
  const bar = keyBar(key, at, from);
  return bar && { bar, owner_id: key.owner_id, key_prefix: key.key_prefix };
}

function byKey({ keys, owners }: KeyTables, key_hash: Uint8Array): KeyCaller | null {
  const key = keys.get(hex(key_hash));
  const owner = key && owners.get(key.owner_id);
  if (!owner || key.revoked_at !== null) return null;
  const { owner_id, agent_id, key_prefix, permission_mode } = key;
  return { credential: 'api_key', owner_id, agent_id, key_prefix, permission_mode, tier: owner.tier };
}

function bySession(tables: SessionTables, session_hash: Uint8Array, at: Date): OwnerCaller | null {
  const found = sessionOf(tables, session_hash, at);
  if (!found) return null;
  const { session, owner } = found;
  if (isToBeNoted(session, at)) tables.sessions.set(hex(session_hash), { ...session, last_seen_at: at });
  const { owner_id, role, tier } = owner;
  return { credential: 'legacy_session', owner_id, role, tier };
}

function sessionOf({ sessions, owners }: SessionTables, session_hash: Uint8Array, at: Date) {
  const session = sessions.get(hex(session_hash));
  const owner = session && owners.get(session.owner_id);
  return !owner || owner.suspended_at !== null || isOver(session, at) ? null : { session, owner };
}
