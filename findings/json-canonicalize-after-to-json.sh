#!/bin/sh
# json-canonicalize 3.0.1, "RFC 8785", leaves the members of what toJSON() returns in their own order. An amount of dinero.js
# 2.0.2, a class with toJSON() or a Buffer has another text, so another hash, than the same value after a way through JSON.
# json-canon 1.0.1 writes a text that is not JSON where the first member, by name, is undefined: `{,"side":"buy"}`.
# Expected: one text for one JSON value, as canonicalize 5.1.0 and @truestamp/canonify 2.1.0 write it.
# Seen:
#   json-canonicalize: {"amount":500,"currency":{"code":"USD","base":10,"exponent":2},"scale":2}
#   the same through JSON: {"amount":500,"currency":{"base":10,"code":"USD","exponent":2},"scale":2}
#   canonicalize and canonify: {"amount":500,"currency":{"base":10,"code":"USD","exponent":2},"scale":2}
#   json-canon: {,"side":"buy"}
# Exit code 0 while that is so, 1 when it changes. Needs Node.js 20 and npm.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --ignore-scripts --silent --no-audit --no-fund json-canonicalize@3.0.1 json-canon@1.0.1 canonicalize@5.1.0 \
  @truestamp/canonify@2.1.0 dinero.js@2.0.2
cat > check.mjs <<'SCRIPT'
import assert from 'node:assert/strict';
import { canonify } from '@truestamp/canonify';
import canonicalizeOfErdtman from 'canonicalize';
import { dinero, USD } from 'dinero.js';
import jsonCanon from 'json-canon';
import { canonicalize } from 'json-canonicalize';

const price = dinero({ amount: 500, currency: USD });
const sorted = canonicalizeOfErdtman(price);
assert.equal(canonify(price), sorted);
console.log('json-canonicalize:', canonicalize(price));
console.log('the same through JSON:', canonicalize(JSON.parse(JSON.stringify(price))));
console.log('canonicalize and canonify:', sorted);
console.log('json-canon:', jsonCanon({ price: undefined, side: 'buy' }));
SCRIPT
node check.mjs | tee seen.txt
cat > expected.txt <<'END'
json-canonicalize: {"amount":500,"currency":{"code":"USD","base":10,"exponent":2},"scale":2}
the same through JSON: {"amount":500,"currency":{"base":10,"code":"USD","exponent":2},"scale":2}
canonicalize and canonify: {"amount":500,"currency":{"base":10,"code":"USD","exponent":2},"scale":2}
json-canon: {,"side":"buy"}
END
diff expected.txt seen.txt
