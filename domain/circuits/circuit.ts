import type { Window } from '../decisions/call.ts';
import { CIRCUIT } from '../limits.ts';
import { Problem, type ProblemDetail } from '../problem.ts';
import { later, type Millis, rfc3339 } from '../time.ts';
import type { Coin } from './coin.ts';
import type { Peg } from './peg.ts';

/** The states of a stablecoin's circuit (interface.md 3.2). */
export const CIRCUIT_STATES = ['normal', 'warming', 'tripped'] as const;
export type CircuitState = (typeof CIRCUIT_STATES)[number];

/** What changes a circuit: an operator (`trip`, `resolve`), else the monitor. */
export const CIRCUIT_CAUSES = ['trip', 'resolve', 'auto_trip', 'relapse', 'recovery'] as const;
export type CircuitCause = (typeof CIRCUIT_CAUSES)[number];

/** One change of a circuit, stored for ever (settled.md section 9). */
export interface CircuitSnapshot {
  readonly id: string;
  readonly coin: Coin;
  readonly from: CircuitState;
  readonly to: CircuitState;
  readonly cause: CircuitCause;
  /** An owner_id, `command line` or `monitor`. */
  readonly actor: string;
  /** null for a resolution, which has a justification and evidence instead. */
  readonly reason: string | null;
  readonly justification: string | null;
  readonly evidence_urls: readonly string[] | null;
  readonly at: Date;
}

export interface Circuit {
  readonly coin: Coin;
  readonly state: CircuitState;
  /** Since when it has been in this state; null for a circuit that never changed. A repeated trip does not move it. */
  readonly since: Date | null;
  readonly snapshot_id: string | null;
  /** The time of the newest snapshot. */
  readonly snapshot_at: Date | null;
  /** The reason, or the justification, of the newest snapshot. */
  readonly reason: string | null;
  /** The newest observation that had its quorum. */
  readonly peg: Peg | null;
  /** When the monitor last looked, whatever it found. */
  readonly looked_at: Date | null;
  readonly runs: Runs;
}

/**
 * How long the observations up to the newest have been as they are. Each run begins with an observation and ends at a
 * gap of more than 10 minutes.
 */
export interface Runs {
  /** Drift below 50 bps; while tripped, counted from the newest trip. */
  readonly below_since: Date | null;
  /** 50 bps or more. */
  readonly above_since: Date | null;
  /** 100 bps or more. */
  readonly trip_since: Date | null;
  /** Consecutive observations of 200 bps or more. */
  readonly at_once: number;
}

/** Whether a run that began at `since` is at least as long as `length` by now; null: there is no such run. */
export function hasLasted(since: Date | null, length: Millis, now: Date): boolean {
  return since !== null && now.getTime() - since.getTime() >= length;
}

export const NO_RUNS: Runs = { below_since: null, above_since: null, trip_since: null, at_once: 0 };

/** A circuit after a rule, with what to store of the change. */
export interface CircuitStep {
  readonly circuit: Circuit;
  /** null unless the state was changed or confirmed. */
  readonly snapshot: CircuitSnapshot | null;
  /** The observation, if it counts. */
  readonly observation: Peg | null;
}

/** The id of the snapshot, and who makes the change. */
export interface ChangeOrigin {
  readonly id: string;
  readonly actor: string;
}

/**
 * An operator trips a circuit, from any state (interface.md 3.2). Tripping a tripped one starts its recovery anew: it
 * begins with the first sub-threshold observation that follows. `since` stays.
 * @param reason 1 to 500 characters
 * @throws Problem VALIDATION_ERROR
 */
export function trip(circuit: Circuit, origin: ChangeOrigin, reason: string, now: Date): CircuitStep {
  refuseFaultyReason(reason);
  return changed(circuit, { ...origin, to: 'tripped', cause: 'trip', reason }, now);
}

/**
 * An operator ends the isolation of a coin whose circuit is warming (interface.md 3.2). Runs continue: a drift that
 * trips does so even if it began before.
 * @throws Problem VALIDATION_ERROR, CIRCUIT_NOT_WARMING
 */
export function resolve(circuit: Circuit, origin: ChangeOrigin, resolution: Resolution, now: Date): CircuitStep {
  refuseFaultyResolution(resolution);
  if (circuit.state !== 'warming') {
    throw new Problem('CIRCUIT_NOT_WARMING', `The circuit of ${circuit.coin} is ${circuit.state}.`);
  }
  return changed(circuit, { ...origin, to: 'normal', cause: 'resolve', reason: null, ...resolution }, now);
}

export type Change = ChangeOrigin & Pick<CircuitSnapshot, 'to' | 'cause' | 'reason'> & Partial<Resolution>;

/** A change of state that the observations call for. */
export type DueChange = Pick<Change, 'to' | 'cause' | 'reason'>;

/** The step of a change of state. */
export function changed(circuit: Circuit, change: Change, now: Date): CircuitStep {
  const { coin, state: from, since, snapshot_at } = circuit;
  // When the clock was set back, a snapshot takes the time of the one before it.
  const at = snapshot_at ? later(snapshot_at, now) : now;
  const snapshot = { justification: null, evidence_urls: null, ...change, coin, from, at };
  const { below_since } = circuit.runs;
  const runs = { ...circuit.runs, below_since: snapshot.to === 'tripped' ? null : below_since };
  const state = stateAfterSnapshot(snapshot, snapshot.to === from ? since : at);
  return { circuit: { ...circuit, runs, ...state }, snapshot, observation: null };
}

/**
 * The state that the newest snapshot gives a circuit; without one it is normal.
 * @param since the time of the newest snapshot that changed the state
 */
export function stateAfterSnapshot(snapshot: CircuitSnapshot | null, since: Date | null) {
  if (!snapshot) return { state: 'normal', since: null, snapshot_id: null, snapshot_at: null, reason: null } as const;
  const { to, at, id, reason, justification } = snapshot;
  return { state: to, since, snapshot_id: id, snapshot_at: at, reason: reason ?? justification };
}

/** The circuits of all coins; a coin's newest snapshot alone decides its state, for submissions too. */
export interface CircuitStore {
  /** The circuits of all coins, in the order of `COINS`. */
  all(): Promise<readonly Circuit[]>;

  /**
   * Applies a rule to a coin's circuit and stores the result: snapshot, observation, runs. Rules on one coin run one
   * after the other, and `now` is the database's time once the rule's turn has come. Within a transaction the circuit
   * is locked until that ends.
   */
  transition(coin: Coin, rule: (circuit: Circuit, now: Date) => CircuitStep): Promise<CircuitStep>;

  /**
   * Snapshots of a coin, newest first.
   * @param before only those older than the snapshot of this id; null for the newest
   */
  history(coin: Coin, before: string | null, limit: number): Promise<readonly CircuitSnapshot[]>;

  /** The times within [from, to] in which the coin was tripped or warming, in order. */
  isolations(coin: Coin, from: Millis, to: Millis): Promise<readonly Isolation[]>;

  /** Observations made at `from` or later, in order. */
  observations(coin: Coin, from: Date): Promise<readonly Peg[]>;

  /** Removes observations older than the kept 8 days, by the database's clock; returns how many. */
  prune(): Promise<number>;
}

/** A time, between two snapshots, in which a coin was not normal. */
export interface Isolation {
  readonly snapshot_id: string;
  readonly state: Exclude<CircuitState, 'normal'>;
  readonly from: Millis;
  /** null: it has not ended yet. */
  readonly until: Millis | null;
}

/** The circuit of its quote currency within the window of a record; it does not change the bucket. */
export interface PegFacts {
  readonly coin: Coin;
  readonly overlaps: readonly PegOverlap[];
}

export interface PegOverlap {
  readonly state: Isolation['state'];
  /** When it began, before the window or within it. */
  readonly from: string;
  /** When it ended; null when it outlasted the window. */
  readonly until: string | null;
  readonly snapshot_id: string;
}

/**
 * The isolations that overlap the window, ends included; null when there are none. They do not depend on anything after
 * the window, so they are the same whenever the record is evaluated.
 */
export function pegFacts(coin: Coin, isolations: readonly Isolation[], window: Window<Millis>): PegFacts | null {
  const overlaps = isolationsWithin(isolations, window).map(({ state, from, until, snapshot_id }) => ({
    state,
    from: rfc3339(from),
    until: until === null || until > window.end_time ? null : rfc3339(until),
    snapshot_id,
  }));
  return overlaps.length === 0 ? null : { coin, overlaps };
}

/** Half-open intervals: an isolation that ended at the anchor, or that has no length, does not overlap. */
export function isolationsWithin(
  isolations: readonly Isolation[],
  { anchor_time, end_time }: Window<Millis>,
): Isolation[] {
  return isolations.filter(
    ({ from, until }) => from <= end_time && (until === null || (until > anchor_time && until > from)),
  );
}

/** Why an operator considers a coin sound again (interface.md 2.5). */
export interface Resolution {
  readonly justification: string;
  /** The service never fetches them. */
  readonly evidence_urls: readonly string[];
}

/** @throws Problem VALIDATION_ERROR unless it has 1 to 500 characters */
function refuseFaultyReason(reason: string): void {
  refuse(lengthFaults('reason', reason, CIRCUIT.reasonLength));
}

/**
 * @throws Problem VALIDATION_ERROR unless the justification has 1 to 2,000 characters and the evidence is 1 to 20 https
 * URLs without userinfo, of at most 2,048 characters each (settled.md section 9)
 */
function refuseFaultyResolution({ justification, evidence_urls }: Resolution): void {
  refuse([
    ...lengthFaults('justification', justification, CIRCUIT.justificationLength),
    ...countFaults(evidence_urls),
    ...evidence_urls.flatMap(urlFaults),
  ]);
}

function refuse(details: readonly ProblemDetail[]): void {
  if (details.length === 0) return;
  const message = details.map((fault) => `${fault.path} ${fault.message}`).join('; ');
  throw new Problem('VALIDATION_ERROR', `${message}.`, { details });
}

function lengthFaults(path: string, text: string, most: number): ProblemDetail[] {
  const sound = text.trim() !== '' && text.length <= most;
  return sound ? [] : [{ path, message: `must have 1 to ${most} characters` }];
}

function countFaults({ length }: Resolution['evidence_urls']): ProblemDetail[] {
  const sound = length >= 1 && length <= CIRCUIT.evidenceUrls;
  return sound ? [] : [{ path: 'evidence_urls', message: `must hold 1 to ${CIRCUIT.evidenceUrls} URLs` }];
}

function urlFaults(url: string, index: number): ProblemDetail[] {
  const path = `evidence_urls.${index}`;
  const fault = (message: string): ProblemDetail[] => [{ path, message, received: url.slice(0, 200) }];
  if (url.length > CIRCUIT.evidenceUrlLength) return fault(`must have at most ${CIRCUIT.evidenceUrlLength} characters`);
  if (!WRITTEN_OUT.test(url) || !URL.canParse(url)) return fault('must be an https URL in visible ASCII characters');
  return USERINFO.test(url) ? fault('must not hold a user name or password') : [];
}

/** Only text that all URL parsers read alike: some drop white space, and some take a backslash for a slash. */
const WRITTEN_OUT = /^https:\/\/(?!\/)[!-[\]-~]+$/i;
const USERINFO = /^https:\/\/[^/?#]*@/i;
