/**
 * The condition that a record exists for its reader; see functions/audience.sql.
 * @param reader SQL of an owner id; null for nobody
 * @param record the name of a row of app.decisions
 */
export function mayRead(reader: string, record = 'd'): string {
  return `app.may_read(reader => ${reader}, owner_id => ${record}.owner_id, lifecycle_state => ${record}.lifecycle_state)`;
}
