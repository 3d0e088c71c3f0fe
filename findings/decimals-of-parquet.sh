#!/bin/sh
# A column DECIMAL(9,2) of a Parquet file, as DuckDB writes prices, has another value in each of three readers:
#   hyparquet 1.31.5 multiplies the integer by 0.01: 0.35 is read as 0.35000000000000003, and 27,866 of the 199,999 prices
#     from 0.01 to 1999.99 are not the number that JavaScript reads from their text. 1.33.0 reads all of them right.
#   @uwdata/flechette 2.3.0 (also below arquero 8.0.3) reads 43 of them wrong, the first is 1.14 as 1.1400000000000001.
#   apache-arrow 21.2.0 leaves the scale out: 0.35 is the text "35", the number 35, and "35" in JSON.
# Expected: 0.35, as @dsnp/parquetjs 1.8.9 reads it, or a value that can only be used with its scale.
# Exit code 0 while that is so, 1 when one of them changes. Needs Node.js 20 and npm.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --ignore-scripts --silent --no-audit --no-fund @duckdb/node-api@1.5.6-r.1 hyparquet@1.31.5 \
  newer@npm:hyparquet@1.33.0 parquet-wasm@0.8.0 apache-arrow@21.2.0 @uwdata/flechette@2.3.0 @dsnp/parquetjs@1.8.9
cat > check.mjs <<'SCRIPT'
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { DuckDBInstance } from '@duckdb/node-api';
import { tableFromIPC } from 'apache-arrow';
import { tableFromIPC as flechetteTable } from '@uwdata/flechette';
import { parquetReadObjects } from 'hyparquet';
import { parquetReadObjects as newerReadObjects } from 'newer';

const require = createRequire(import.meta.url);
const connection = await (await DuckDBInstance.create(':memory:')).connect();
await connection.run(
  `copy (select (cents / 100)::decimal(9, 2) as price from range(1, 200000) as t(cents)) to 'prices.parquet'`,
);
const bytes = readFileSync('prices.parquet');
const expected = (cents) => Number(`${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`);
const wrong = (prices) => prices.map((price, at) => [at + 1, price]).filter(([cents, price]) => price !== expected(cents));

const file = new Uint8Array(bytes).buffer;
const ofHyparquet = (await parquetReadObjects({ file })).map(({ price }) => price);
const ofNewer = (await newerReadObjects({ file })).map(({ price }) => price);
const ipc = require('parquet-wasm').readParquet(new Uint8Array(bytes)).intoIPCStream();
const ofFlechette = [...flechetteTable(ipc).getChild('price')];
const ofArrow = [...tableFromIPC(ipc).getChild('price')];
const ofParquetjs = [];
const cursor = (await require('@dsnp/parquetjs').ParquetReader.openBuffer(bytes)).getCursor();
for (let row = await cursor.next(); row; row = await cursor.next()) ofParquetjs.push(row.price);

const report = (name, prices) => console.log(name, 'wrong:', wrong(prices).length, 'first:', wrong(prices)[0]?.[1]);
report('hyparquet 1.31.5', ofHyparquet);
report('hyparquet 1.33.0', ofNewer);
report('flechette 2.3.0', ofFlechette);
report('parquetjs 1.8.9', ofParquetjs);
console.log('apache-arrow 21.2.0 reads 0.35 as', String(ofArrow[34]), Number(ofArrow[34]), JSON.stringify(ofArrow[34]));
assert.equal(ofHyparquet[34], 0.35000000000000003);
assert.equal(wrong(ofHyparquet).length, 27_866);
assert.equal(wrong(ofNewer).length, 0);
assert.equal(ofFlechette[113], 1.1400000000000001);
assert.equal(wrong(ofFlechette).length, 43);
assert.equal(String(ofArrow[34]), '35');
assert.equal(Number(ofArrow[34]), 35);
assert.equal(wrong(ofParquetjs).length, 0);
console.log('As described.');
SCRIPT
node check.mjs
