import { SESSION } from '../../../domain/limits.ts';
import type { AdmissionRequest } from '../../../domain/quotas/admission.ts';
import type { Millis } from '../../../domain/time.ts';
import { ADMIT, COUNT_KEYS } from '../functions/called-functions.ts';
import { interval } from '../kit/interval.ts';
import { FLUSHED } from '../kit/log-position.ts';
import type { AdmissionBatch } from './admission-batch.ts';

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

/** The clock and the position are read once, after the first row is made. */
function admitting(call: string, further = ''): string {
  return `
  select caller, owner_id, agent_id, key_prefix, permission_mode, role, tier,
    date_part('epoch', second_start) * 1000 as second_start, second_used, minute_used, admitted, before,
    (select date_part('epoch', app.now()) * 1000) as at${further}
  from ${call}`;
}
