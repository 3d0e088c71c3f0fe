/** A pool, or the connection of one transaction. */
export interface JobSql {
  /** A statement with a `name` is planned once per connection. */
  rows(text: string, values: readonly unknown[], name?: string): Promise<readonly unknown[]>;
}
