#!/bin/sh
# hyparquet-writer 0.17.0 (npm), as 0.14.0, 0.15.7 and 0.16.10, writes the list of row groups of a file without rows with the
# element type 0, which Thrift's compact protocol does not have; a list of structs has 12. The file is valid input for
# hyparquet 1.31.5, and parquet-wasm 0.8.0 (Apache Arrow in Rust) refuses it. With 12 in that byte both read it.
# Seen:
#   hyparquet-writer 0.14.0: type 0, hyparquet reads 0 rows, parquet-wasm: Parquet error: Expected list element type of Struct but got Byte
#   hyparquet-writer 0.17.0: the same; with type 12: parquet-wasm reads 0 rows
# Exit code 0 while that is so, 1 when one of them changes. Needs Node.js 20 and npm.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --silent --no-audit --no-fund parquet-wasm@0.8.0 hyparquet@1.31.5 \
  old@npm:hyparquet-writer@0.14.0 v15@npm:hyparquet-writer@0.15.7 v16@npm:hyparquet-writer@0.16.10 \
  new@npm:hyparquet-writer@0.17.0
cat > check.mjs <<'SCRIPT'
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { parquetMetadata } from 'hyparquet';

const { readParquet } = createRequire(import.meta.url)('parquet-wasm');
const schema = [
  { name: 'root', num_children: 1 },
  { name: 'n', repetition_type: 'OPTIONAL', type: 'DOUBLE' },
];
const HEAD = Buffer.from([0x16, 0x00, 0x19]); // no rows, then the field of the row groups

for (const name of ['old', 'v15', 'v16', 'new']) {
  const { ByteWriter, ParquetWriter } = await import(name);
  const bytes = new ByteWriter();
  new ParquetWriter({ writer: bytes, schema, createdBy: 'check' }).finish();
  const file = Uint8Array.from(new Uint8Array(bytes.getBytes()));
  const at = Buffer.from(file).lastIndexOf(HEAD) + HEAD.length;
  assert.equal(file[at], 0, `${name} writes another type`);
  assert.equal(Number(parquetMetadata(file.buffer).num_rows), 0);
  assert.throws(() => readParquet(file), /Expected list element type of Struct but got Byte/);
  file[at] = 12;
  assert.equal(readParquet(file).numBatches, 0);
  console.log(`${name}: type 0 is refused in Rust, type 12 is read`);
}
SCRIPT
node check.mjs
