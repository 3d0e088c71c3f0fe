/**
 * The condition that a record exists for its reader; see functions/audience.sql.
 * @param reader SQL of an owner id; null for nobody
 * @param record the name of a row of app.decisions
 */
export function mayRead(reader: string, record = 'd'): string {
  return `app.may_read(reader => ${reader}, owner_id => ${record}.owner_id, lifecycle_state => ${record}.lifecycle_state)`;
}

/** The condition that record `t` is public, and was so when record `d` was received, which points to it. */
export const IS_PUBLIC_TARGET = `app.was_public_at(received => d.submission_time, lifecycle_state => t.lifecycle_state,
  evaluated_at => t.evaluated_at)`;
