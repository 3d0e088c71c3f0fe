import { afterAll, beforeAll } from '@jest/globals';
import type { ApiKey } from '../../../domain/accounts/keys/api-key.ts';
import type { Admission, AdmissionDesk, AdmissionRequest, Spend } from '../../../domain/quotas/admission.ts';
import type { Pool } from '../../../domain/quotas/pools.ts';
import { aKeyOf, anOwner } from '../../builders/accounts.ts';
import { randomName } from '../../builders/decisions.ts';
import { race } from '../adapters.ts';
import { type DecisionAdapter, NOON, type OpenedDecisions } from '../decisions/adapters.ts';

/** A storage for a suite about limits, whose clock the tests move. */
export interface LimitsBench {
  desk(): AdmissionDesk;
  storage(): OpenedDecisions['storage'];
  operators(): OpenedDecisions['operators'];
  arrange(): OpenedDecisions['arrange'];
  /** The clock stands so long after noon; negative: before. What this process knows of the time moves with it. */
  at(millis: number): Promise<void>;
  /** A key of an owner of its own, or of `mate`'s. */
  key(mate?: ApiKey): Promise<ApiKey>;
}

export function limitsBench(adapter: DecisionAdapter): LimitsBench {
  let opened: OpenedDecisions;
  beforeAll(async () => {
    opened = await adapter.open();
  });
  afterAll(() => opened.close());
  return {
    desk: () => opened.storage.admission,
    storage: () => opened.storage,
    operators: () => opened.operators,
    arrange: () => opened.arrange,
    async at(millis) {
      await opened.arrange.freeze(new Date(NOON.getTime() + millis));
      await opened.storage.clock.now();
    },
    async key(mate) {
      const owner = anOwner(mate && { owner_id: mate.owner_id });
      if (!mate) await opened.storage.owners.add(owner);
      const key = aKeyOf(owner);
      await opened.storage.apiKeys.add(key, 1_000);
      return key;
    },
  };
}

/** A request under limits that it will not meet. */
export function aRequest(changes: Partial<AdmissionRequest> = {}): AdmissionRequest {
  const callerLimits = { per_second: 1_000, per_minute: 1_000 };
  return {
    proof: null,
    from: null,
    callerLimits,
    address: randomName(),
    addressPerMinute: 1_000,
    spend: null,
    ...changes,
  };
}

export function byKey({ key_hash }: ApiKey, changes: Partial<AdmissionRequest> = {}): AdmissionRequest {
  return aRequest({ proof: { credential: 'api_key', key_hash }, ...changes });
}

export function taking(pool: Pool, base: number, record_id: string | null = null): { readonly spend: Spend } {
  return { spend: { pool, record_id, base, units: 1 } };
}

export type Judged = Exclude<Admission, { readonly verdict: 'no_active_owner' }>;

export async function judged(desk: Pick<AdmissionDesk, 'admit'>, request: AdmissionRequest): Promise<Judged> {
  const admission = await desk.admit(request);
  if (admission.verdict === 'no_active_owner') throw new Error('The request has no active owner.');
  return admission;
}

/** The verdicts on requests one after the other. */
export async function inTurn(desk: AdmissionDesk, times: number, request: AdmissionRequest): Promise<string[]> {
  const verdicts: string[] = [];
  for (let i = 0; i < times; i += 1) verdicts.push((await desk.admit(request)).verdict);
  return verdicts;
}

/** How many of so many equal requests at once are admitted. */
export async function admittedAtOnce(
  desk: Pick<AdmissionDesk, 'admit'>,
  times: number,
  request: (worker: number) => AdmissionRequest,
): Promise<number> {
  const verdicts = await race(times, (worker) => desk.admit(request(worker)));
  return verdicts.filter(({ verdict }) => verdict === 'admitted').length;
}
