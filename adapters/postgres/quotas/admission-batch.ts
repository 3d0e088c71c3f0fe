import { SESSION } from '../../../domain/limits.ts';
import type { AdmissionRequest, RateLimits, Spend } from '../../../domain/quotas/admission.ts';
import type { Millis } from '../../../domain/time.ts';
import { ADMIT, COUNT_KEYS } from '../functions/called-functions.ts';
import { interval } from '../kit/expired-rows.ts';
import { FLUSHED } from '../kit/replica.ts';

const SESSION_TIMES = {
  session_idle: interval(SESSION.idle),
  session_absolute: interval(SESSION.absolute),
  session_noted: interval(SESSION.noteEvery),
};

const POSITION = `, (select ${FLUSHED}) as position`;

const COUNT = admitting(COUNT_KEYS.call);

const COUNT_WITH_POSITION = admitting(COUNT_KEYS.call, POSITION);

const SPENT = ', spend, day::text, used, credit, taken';

const JUDGE = admitting(ADMIT.call, SPENT);

const JUDGE_WITH_POSITION = admitting(ADMIT.call, SPENT + POSITION);

/** The requests of a batch by caller, as `app.admit_batch` takes them (adapters/postgres/functions/admission.sql). */
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

/** A statement with a name and values, as `Sql.rows` takes it. */
export interface AdmissionStatement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/**
 * The statement that judges a batch; its rows are `JudgedRow`s.
 * @param patience milliseconds to wait for a lock
 * @param withPosition whether its rows have the position of the log
 */
export function statementOf(batch: AdmissionBatch, patience: Millis, withPosition: boolean): AdmissionStatement {
  const { limits, keys, others, spends } = batch;
  const key_hashes = keys.map(({ caller }) => caller);
  const counts = keys.every(({ count }) => count === 1) ? null : keys.map(({ count }) => count);
  const key_addresses = sparse(keys.map(({ request }) => request.from));
  const common = { key_hashes, key_addresses, ...limits, patience_ms: patience };
  if (others.length === 0 && !spends) {
    const values = COUNT_KEYS.values({ ...common, counts });
    return { name: 'count keys', text: withPosition ? COUNT_WITH_POSITION : COUNT, values };
  }
  const values = ADMIT.values({
    ...common,
    key_counts: counts,
    ...othersOf(batch),
    ...spendsOf(batch),
    ...SESSION_TIMES,
  });
  return { name: 'admit', text: withPosition ? JUDGE_WITH_POSITION : JUDGE, values };
}

function othersOf({ others }: AdmissionBatch) {
  const column = (of: (request: AdmissionRequest) => unknown) => sparse(others.map(({ request }) => of(request)));
  return {
    callers: others.map(({ caller }) => caller),
    session_hashes: column(({ proof }) => (proof?.credential === 'legacy_session' ? proof.session_hash : null)),
    issuers: column(({ proof }) => (proof?.credential === 'owner_bearer' ? proof.identity.issuer : null)),
    subjects: column(({ proof }) => (proof?.credential === 'owner_bearer' ? proof.identity.subject : null)),
    addresses: column(({ proof, address }) => (proof ? null : address)),
    counts: others.map(({ count }) => count),
    address_minutes: column(({ addressPerMinute }) => addressPerMinute),
  };
}

/** In the order of `AdmissionBatch`: what a row calls `spend` is the place here, from 1. */
function spendsOf({ keys, others }: AdmissionBatch) {
  const spends = [...keys, ...others].flatMap(({ shares }, index) =>
    shares.flatMap(({ spend, first, places }) =>
      spend ? { ...spend, first, units: spend.units * places.length, spender: index + 1 } : [],
    ),
  );
  return {
    spenders: spends.map(({ spender }) => spender),
    pools: spends.map(({ pool }) => pool),
    records: sparse(spends.map(({ record_id }) => record_id)),
    bases: spends.map(({ base }) => base),
    units: spends.map(({ units }) => units),
    firsts: sparse(spends.map(({ first }) => (first === 0 ? null : first))),
  };
}

/** `unnest` fills an array up with nulls: one that has nothing else is empty. */
function sparse(column: readonly unknown[]): readonly unknown[] {
  return column.every((value) => value === null) ? [] : column;
}

/** The clock and the position are read once, after the first row is made. */
function admitting(call: string, further = ''): string {
  return `
  select caller, owner_id, agent_id, key_prefix, permission_mode, role, tier,
    date_part('epoch', second_start) * 1000 as second_start, second_used, minute_used, admitted, before,
    (select date_part('epoch', app.now()) * 1000) as at${further}
  from ${call}`;
}
