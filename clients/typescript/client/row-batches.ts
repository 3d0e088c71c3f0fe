/** The body of a request that sends rows of a back-test. */
export interface RowBatch<About, Row> {
  readonly about: About;
  readonly rows: readonly Row[];
}

/**
 * The bodies in which rows are sent, in their order; each has as many rows as may be.
 * @param most rows of a body, and bytes of its JSON
 */
export function batchesOf<About, Row>(
  { about, rows }: RowBatch<About, Row>,
  most: { readonly rows: number; readonly bytes: number },
): readonly RowBatch<About, Row>[] {
  const encoder = new TextEncoder();
  const bytesOf = (value: unknown) => encoder.encode(JSON.stringify(value)).length;
  const frame = bytesOf({ about, rows: [] });
  const batches: Row[][] = [];
  let [batch, bytes]: [Row[], number] = [[], frame];
  for (const row of rows) {
    const length = bytesOf(row) + 1;
    if (batch.length > 0 && (batch.length === most.rows || bytes + length > most.bytes)) {
      batches.push(batch);
      [batch, bytes] = [[], frame];
    }
    batch.push(row);
    bytes += length;
  }
  if (batch.length > 0) batches.push(batch);
  return batches.map((each) => ({ about, rows: each }));
}
