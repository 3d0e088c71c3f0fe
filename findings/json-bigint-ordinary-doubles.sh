#!/bin/sh
# json-bigint 1.0.0 does not only turn big integers into objects: every number of more than 15 characters, such as the result
# of 0.1 + 0.2 as JSON.stringify writes it, becomes a BigNumber. `last + size` is then a text, and no error follows. With
# `useNativeBigInt: true` the same valid text is refused. Its README speaks of integers that JavaScript cannot hold.
# Expected: numbers, since these doubles are exact in JavaScript.
# Seen, of {"last":67321.12000000001,"size":0.5}:
#   JSON: number, last + size = 67321.62000000001
#   json-bigint: object, last + size = 67321.120000000010.5
#   json-bigint, useNativeBigInt: SyntaxError: Cannot convert 67321.12000000001 to a BigInt
#   objects among the prices 0.011, 0.022 ... 110 (each a whole cent times 1.1): 5247 of 10000
# Exit code 0 while that is so, 1 when it changes. Needs Node.js 20 and npm.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --ignore-scripts --silent --no-audit --no-fund json-bigint@1.0.0
cat > check.mjs <<'SCRIPT'
import jsonBigint from 'json-bigint';

const text = '{"last":67321.12000000001,"size":0.5}';
const show = (name, parse) => {
  try {
    const { last, size } = parse(text);
    console.log(`${name}: ${typeof last}, last + size = ${last + size}`);
  } catch (error) {
    console.log(`${name}: ${error.name}: ${error.message}`);
  }
};
show('JSON', JSON.parse);
show('json-bigint', jsonBigint.parse);
show('json-bigint, useNativeBigInt', jsonBigint({ useNativeBigInt: true }).parse);
const prices = Array.from({ length: 10_000 }, (_, at) => ((at + 1) / 100) * 1.1);
const objects = prices.filter((price) => typeof jsonBigint.parse(JSON.stringify(price)) === 'object');
console.log('objects among the prices 0.011, 0.022 ... 110:', objects.length, 'of', prices.length);
SCRIPT
node check.mjs | tee seen.txt
cat > expected.txt <<'END'
JSON: number, last + size = 67321.62000000001
json-bigint: object, last + size = 67321.120000000010.5
json-bigint, useNativeBigInt: SyntaxError: Cannot convert 67321.12000000001 to a BigInt
objects among the prices 0.011, 0.022 ... 110: 5247 of 10000
END
diff expected.txt seen.txt
