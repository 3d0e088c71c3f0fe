/** The time and the snapshot of a statement, as text. */
export interface Moment {
  readonly at: Date;
  /** `xmin:xmax:xip,...` of PostgreSQL. */
  readonly snapshot: string;
}

/** The time is in whole milliseconds. */
export const MOMENT = `(extract(epoch from app.now()) * 1000)::bigint || ' ' || pg_current_snapshot()`;

/** @throws TypeError where no summary can have told it */
export function momentOf(text: string): Moment {
  const [, time = '', snapshot = '', xmin = '', xmax = '', running = ''] = FORM.exec(text) ?? [];
  const ids = [xmin, ...(running === '' ? [] : running.split(',')), xmax].map((id) => BigInt(id || '0'));
  const ascending = ids.every((id, i) => id > 0n && id <= LAST && id >= (ids[i - 1] ?? 1n));
  if (time === '' || !ascending) throw new TypeError('No summary told this moment.');
  return { at: new Date(Number(time)), snapshot };
}

const FORM = /^(\d{1,15}) ((\d{1,19}):(\d{1,19}):([\d,]*))$/;
const LAST = 2n ** 63n - 1n;
