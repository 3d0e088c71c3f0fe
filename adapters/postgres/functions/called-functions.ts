/** A function of the database that the service calls with values of its own, by the names of its parameters. */
export interface CalledFunction<Name extends string> {
  readonly name: string;
  /** The types as the catalogue has them. */
  readonly parameters: Readonly<Record<Name, string>>;
  /** `name(parameter => $1::type, ...)`, for a `from` clause. */
  readonly call: string;
  /** The values of the call, in the order of its `$n`. */
  readonly values: (given: Readonly<Record<Name, unknown>>) => readonly unknown[];
}

/** Requests as arrays of their parts, the cheapest form for both sides; see `admission.sql`. */
export const ADMIT = called('app.admit_batch', {
  key_hashes: 'bytea[]',
  key_addresses: 'text[]',
  key_counts: 'integer[]',
  callers: 'bytea[]',
  session_hashes: 'bytea[]',
  issuers: 'text[]',
  subjects: 'text[]',
  addresses: 'text[]',
  counts: 'integer[]',
  address_minutes: 'integer[]',
  per_second: 'integer',
  per_minute: 'integer',
  spenders: 'integer[]',
  pools: 'text[]',
  records: 'text[]',
  bases: 'integer[]',
  units: 'integer[]',
  firsts: 'integer[]',
  session_idle: 'interval',
  session_absolute: 'interval',
  session_noted: 'interval',
  patience_ms: 'integer',
});

/** Keys that spend nothing; see `admission.sql`. */
export const COUNT_KEYS = called('app.count_keys', {
  key_hashes: 'bytea[]',
  key_addresses: 'text[]',
  counts: 'integer[]',
  per_second: 'integer',
  per_minute: 'integer',
  patience_ms: 'integer',
});

/** See `admission.sql`. */
export const GIVE_BACK = called('app.give_back', {
  of_owner: 'uuid',
  of_day: 'date',
  of_pool: 'text',
  of_record: 'text',
});

/** See `admission.sql`. */
export const KEEP = called('app.keep', {
  subjects: 'bytea[]',
  of_kind: 'text',
  more: 'integer',
  more_bytes: 'bigint',
  mosts: 'integer[]',
  mosts_bytes: 'bigint[]',
});

/** `batch` is an array of `app.submission`; see `submit.sql`. */
export const SUBMIT_BATCH = called('app.submit_batch', {
  batch: 'jsonb',
  patience_ms: 'integer',
  idempotency_kept: 'interval',
  verified_for: 'interval',
});

/** See `cohort-tail.sql`. */
export const CORRECT_COUNTED = called('app.correct_counted', {
  ids: 'text[]',
  moves: 'smallint[]',
  grids: 'text[]',
  exceptions: 'text[]',
});

/** See `names.sql`. */
export const MOVE_BY_NAMES = called('app.move_by_names', {
  ids: 'text[]',
  symbols: 'text[]',
  wrong: 'boolean[]',
  at_once: 'integer',
});

/** See `cohort-tail.sql`. */
export const COUNT_MOVES = called('app.count_moves', { ids: 'text[]', ranges: 'smallint[]' });

function called<Name extends string>(name: string, parameters: Readonly<Record<Name, string>>): CalledFunction<Name> {
  const types: readonly (readonly [string, unknown])[] = Object.entries(parameters);
  const named = types.map(([parameter, type], index) => `${parameter} => $${index + 1}::${type}`);
  const values = (given: Readonly<Record<string, unknown>>) => types.map(([parameter]) => given[parameter]);
  return { name, parameters, call: `${name}(${named.join(', ')})`, values };
}
