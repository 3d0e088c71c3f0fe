import { createRequire } from 'node:module';

interface RustTable {
  readonly numBatches: number;
  recordBatch(index: number): { readonly numRows: number } | undefined;
}

/** parquet-wasm: the Parquet reader of Apache Arrow in Rust. Its form for Node.js is a CommonJS module. */
const { readParquet } = createRequire(import.meta.url)('parquet-wasm') as {
  readonly readParquet: (file: Uint8Array) => RustTable;
};

/** The number of rows of a file, as a reader in Rust decodes all of it. @throws Error for a file that it refuses */
export function rustRows(file: Uint8Array): number {
  const table = readParquet(new Uint8Array(file));
  return Array.from({ length: table.numBatches }, (_, n) => table.recordBatch(n)?.numRows ?? 0).reduce(
    (a, b) => a + b,
    0,
  );
}
