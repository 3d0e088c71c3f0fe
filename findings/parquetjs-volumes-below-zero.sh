#!/bin/sh
# @dsnp/parquetjs 1.8.9 reads a column of unsigned integers of Parquet as signed ones: a volume of 3,000,000,000 shares in a
# column of 32 bits, as DuckDB (UINTEGER), pandas and Polars write it, is -1,294,967,296, and no error is raised. Unsigned 64
# bits are alike. The package knows the type: the field is UINT_32 in its schema. parquet.thrift has UINT_32 as a number
# without a sign, stored in the same bits.
# Expected: 3000000000, as hyparquet 1.31.5 and parquet-wasm 0.8.0 (Apache Arrow in Rust) read it from the same file.
# Seen, volumes of one day and their sum:
#   @dsnp/parquetjs: type UINT_32, volumes 2000000000 -1294967296, sum 705032704
#   @dsnp/parquetjs: type UINT_64, volumes 2000000000 -8446744073709551616
#   hyparquet: volumes 2000000000 3000000000, sum 5000000000
#   parquet-wasm: volumes 2000000000 3000000000, sum 5000000000
# Exit code 0 while that is so, 1 when it changes. Needs Node.js 20 and npm.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --ignore-scripts --silent --no-audit --no-fund @dsnp/parquetjs@1.8.9 hyparquet@1.31.5 parquet-wasm@0.8.0 \
  apache-arrow@21.2.0
cat > check.mjs <<'SCRIPT'
import { readFileSync, writeFileSync } from 'node:fs';
import parquetjs from '@dsnp/parquetjs';
import { tableFromArrays, tableFromIPC, tableToIPC } from 'apache-arrow';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { Compression, readParquet, Table, writeParquet, WriterPropertiesBuilder } from 'parquet-wasm/node';

const columns = {
  volume: Uint32Array.of(2_000_000_000, 3_000_000_000),
  wide: BigUint64Array.of(2_000_000_000n, 10_000_000_000_000_000_000n),
};
const table = Table.fromIPCStream(tableToIPC(tableFromArrays(columns), 'stream'));
const plain = new WriterPropertiesBuilder().setCompression(Compression.UNCOMPRESSED).build();
writeFileSync('bars.parquet', writeParquet(table, plain));

const sum = (values) => values.reduce((total, value) => total + value, 0);
const show = (name, values) => console.log(`${name}: volumes ${values.join(' ')}, sum ${sum(values)}`);
const reader = await parquetjs.ParquetReader.openFile('bars.parquet');
const cursor = reader.getCursor();
const rows = [await cursor.next(), await cursor.next()];
const { volume, wide } = reader.getSchema().fields;
const read = rows.map((row) => row.volume);
console.log(`@dsnp/parquetjs: type ${volume.originalType}, volumes ${read.join(' ')}, sum ${sum(read)}`);
console.log(`@dsnp/parquetjs: type ${wide.originalType}, volumes ${rows.map((row) => row.wide).join(' ')}`);
await reader.close();
const file = await asyncBufferFromFile('bars.parquet');
show('hyparquet', (await parquetReadObjects({ file })).map((row) => row.volume));
const arrow = tableFromIPC(readParquet(readFileSync('bars.parquet')).intoIPCStream());
show('parquet-wasm', [...arrow.getChild('volume')]);
SCRIPT
node check.mjs | tee seen.txt
cat > expected.txt <<'END'
@dsnp/parquetjs: type UINT_32, volumes 2000000000 -1294967296, sum 705032704
@dsnp/parquetjs: type UINT_64, volumes 2000000000 -8446744073709551616
hyparquet: volumes 2000000000 3000000000, sum 5000000000
parquet-wasm: volumes 2000000000 3000000000, sum 5000000000
END
diff expected.txt seen.txt
