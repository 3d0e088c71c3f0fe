import type { AdmissionRequest, Spend } from '../../../domain/quotas/admission.ts';
import type { RateLimits } from '../../../domain/quotas/rate-window.ts';

/** The requests of a batch by caller, as `app.admit_batch` takes them (adapters/postgres/functions/admit.sql). */
export interface AdmissionBatch {
  /** Of every caller with a key or an owner. */
  readonly limits: RateLimits;
  /** Callers with a key, in the order of the hashes. */
  readonly keys: readonly CallerRequests[];
  readonly others: readonly CallerRequests[];
  readonly spends: boolean;
}

/** The requests of a batch that present one credential, or none from one address. */
export interface CallerRequests {
  /** The hash of the key; of other callers a value of their own in this batch. */
  readonly caller: Buffer;
  /** One of them. */
  readonly request: AdmissionRequest;
  readonly count: number;
  readonly shares: readonly Share[];
}

/** Those of them that spend from one pool, or from none. */
export interface Share {
  readonly spend: Spend | null;
  /** The requests of the caller before these. */
  readonly first: number;
  /** Where each of these is in the batch. */
  readonly places: readonly number[];
}

/**
 * The requests by limits and then by caller: callers with different limits are counted by statements of their own, and so
 * are the requests of one key from several addresses.
 */
export function batchesOf(requests: readonly AdmissionRequest[]): readonly AdmissionBatch[] {
  const byLimits = new Map<string, Map<string, Member[]>[]>();
  for (const [place, request] of requests.entries()) {
    const { per_second, per_minute } = request.callerLimits;
    const groups = entryOf(byLimits, `${per_second} ${per_minute}`, (): Map<string, Member[]>[] => []);
    const name = callerName(request);
    const callers = groups.find((group) => isFromThere(group.get(name), request)) ?? new Map<string, Member[]>();
    if (callers.size === 0) groups.push(callers);
    entryOf(callers, name, (): Member[] => []).push({ place, request });
  }
  return [...byLimits.values()].flat().map(batchOf);
}

function isFromThere(members: readonly Member[] | undefined, { proof, from }: AdmissionRequest): boolean {
  return members === undefined || proof?.credential !== 'api_key' || members[0]?.request.from === from;
}

interface Member {
  readonly place: number;
  readonly request: AdmissionRequest;
}

function entryOf<Value>(map: Map<string, Value>, name: string, make: () => Value): Value {
  const found = map.get(name);
  if (found !== undefined) return found;
  const made = make();
  map.set(name, made);
  return made;
}

function callerName({ proof, address, addressPerMinute }: AdmissionRequest): string {
  switch (proof?.credential) {
    case undefined:
      return `${addressPerMinute} ${address}`;
    case 'api_key':
      return `key ${bufferOf(proof.key_hash).toString('latin1')}`;
    case 'legacy_session':
      return `session ${bufferOf(proof.session_hash).toString('latin1')}`;
    case 'owner_bearer':
      return JSON.stringify([proof.identity.issuer, proof.identity.subject]);
  }
}

function bufferOf(bytes: Uint8Array): Buffer {
  return bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

function batchOf(byCaller: ReadonlyMap<string, readonly Member[]>): AdmissionBatch {
  const [keys, others]: [CallerRequests[], CallerRequests[]] = [[], []];
  let limits: RateLimits = { per_second: null, per_minute: 0 };
  let spends = false;
  for (const members of byCaller.values()) {
    const [first] = members;
    if (!first) continue;
    const { proof, callerLimits } = first.request;
    limits = callerLimits;
    const shares = sharesOf(members);
    spends ||= shares.some(({ spend }) => spend !== null);
    const known = { request: first.request, count: members.length, shares };
    if (proof?.credential === 'api_key') keys.push({ caller: bufferOf(proof.key_hash), ...known });
    else others.push({ caller: ownValue(others.length), ...known });
  }
  return { limits, keys: keys.sort((a, b) => a.caller.compare(b.caller)), others, spends };
}

/** Without a credential there is no pool. */
function sharesOf(members: readonly Member[]): readonly Share[] {
  const shares: { spend: Spend | null; first: number; places: number[] }[] = [];
  for (const { request, place } of members) {
    const spend = request.proof && request.spend;
    const share = shares.find((each) => isSamePool(each.spend, spend));
    if (share) share.places.push(place);
    else shares.push({ spend, first: 0, places: [place] });
  }
  let first = 0;
  for (const share of shares) {
    share.first = first;
    first += share.places.length;
  }
  return shares;
}

function isSamePool(a: Spend | null, b: Spend | null): boolean {
  if (a === null || b === null) return a === b;
  return a.pool === b.pool && a.record_id === b.record_id && a.units === b.units && a.base === b.base;
}

/** Not as long as a hash. */
function ownValue(index: number): Buffer {
  const value = Buffer.alloc(4);
  value.writeUInt32BE(index);
  return value;
}
