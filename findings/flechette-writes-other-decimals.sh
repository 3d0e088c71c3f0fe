#!/usr/bin/env bash
# @uwdata/flechette 2.6.0 writes other decimals to Arrow than it is given, and raises no error: it multiplies the double by the
# power of ten and cuts off what is behind the point, so that 1.14 (113.99999999999999) becomes 1.13 in decimal(9, 2): of the
# prices from 0.01 to 199.99 it writes 1,145 a cent too low. In decimal32 it multiplies by the number of digits itself, so
# that 1.14 becomes 0.02. Its documentation names a loss where decimals are read as numbers, and none where they are written.
# Expected: 1.14, as its own decimal() has it of the integer 114n, and as Number.prototype.toFixed writes the double.
# Seen, prices and integers in the file (with two digits behind the point); apache-arrow 21.2.0 reads the same ones:
#   decimal(9, 2): 0.29 is 28, 1.14 is 113, 100.10 is 10010; apache-arrow 28, 113, 10010
#   decimal32(9, 2): 0.29 is 0, 1.14 is 2, 100.10 is 200
#   decimal(9, 2) of integers: 0.29 is 29, 1.14 is 114, 100.10 is 10010; apache-arrow 29, 114, 10010
#   written a cent too low: 1145 of 19999
# Exit code 0 while that is so, 1 when it changes. Needs Node.js 20 and npm.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --no-save --ignore-scripts --silent --no-audit --no-fund @uwdata/flechette@2.6.0 apache-arrow@21.2.0
cat > check.mjs <<'SCRIPT'
import { decimal, decimal32, tableFromArrays, tableFromIPC, tableToIPC } from '@uwdata/flechette';
import * as arrow from 'apache-arrow';

const fileOf = (prices, type) => tableToIPC(tableFromArrays({ price: prices }, { types: { price: type } }), { format: 'file' });
const integers = (file) => Array.from(tableFromIPC(file, { useDecimalInt: true }).getChild('price').toArray(), Number);
const peer = (file) => Array.from(arrow.tableFromIPC(file).getChild('price'), (words) => Number(String(words)));
const PRICES = [0.29, 1.14, 100.1];
const show = (name, file, more = '') => {
  const pairs = integers(file).map((integer, at) => `${PRICES[at].toFixed(2)} is ${integer}`);
  console.log(`${name}: ${pairs.join(', ')}${more}`);
};
const written = fileOf(PRICES, decimal(9, 2));
const exact = fileOf([29n, 114n, 10010n], decimal(9, 2));
show('decimal(9, 2)', written, `; apache-arrow ${peer(written).join(', ')}`);
show('decimal32(9, 2)', fileOf(PRICES, decimal32(9, 2)));
show('decimal(9, 2) of integers', exact, `; apache-arrow ${peer(exact).join(', ')}`);
const cents = Array.from({ length: 19_999 }, (_, at) => at + 1);
const all = integers(fileOf(cents.map((cent) => cent / 100), decimal(9, 2)));
console.log(`written a cent too low: ${all.filter((integer, at) => integer === cents[at] - 1).length} of ${all.length}`);
SCRIPT
node check.mjs | tee seen.txt
cat > expected.txt <<'END'
decimal(9, 2): 0.29 is 28, 1.14 is 113, 100.10 is 10010; apache-arrow 28, 113, 10010
decimal32(9, 2): 0.29 is 0, 1.14 is 2, 100.10 is 200
decimal(9, 2) of integers: 0.29 is 29, 1.14 is 114, 100.10 is 10010; apache-arrow 29, 114, 10010
written a cent too low: 1145 of 19999
END
diff expected.txt seen.txt
