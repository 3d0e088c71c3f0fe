#!/bin/sh
# ccxt 4.5.84 rounds a negative value to the wrong tick: decimalToPrecision with ROUND and TICK_SIZE takes the next tick away
# from zero for every negative value that is not on one. It compares the remainder, which is negative too, with half a tick.
# Prices below zero are valid: spreads, funding, crude oil on 20 April 2020 (settled at -37.63).
# Expected: the nearest tick, as for the same value without the sign and as in the mode DECIMAL_PLACES.
# Seen, value and tick, result for the value below zero and for the one above it:
#   1.01 by 0.25: -1.25 and 1
#   37.61 by 0.05: -37.65 and 37.6
#   6 by 5: -10 and 5
#   37.634 by 0.01: -37.64 and 37.63
#   37.634 by 2 decimal places: -37.63 and 37.63
# Exit code 0 while that is so, 1 when it changes. Needs Node.js 20 and npm.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --ignore-scripts --silent --no-audit --no-fund ccxt@4.5.84
cat > check.mjs <<'SCRIPT'
import ccxt from 'ccxt';

const { decimalToPrecision, ROUND, TICK_SIZE, DECIMAL_PLACES } = ccxt;
const both = (value, precision, mode) =>
  [`-${value}`, value].map((text) => decimalToPrecision(text, ROUND, precision, mode)).join(' and ');
for (const [value, tick] of [['1.01', 0.25], ['37.61', 0.05], ['6', 5], ['37.634', 0.01]])
  console.log(`${value} by ${tick}: ${both(value, tick, TICK_SIZE)}`);
console.log(`37.634 by 2 decimal places: ${both('37.634', 2, DECIMAL_PLACES)}`);
SCRIPT
node check.mjs | tee seen.txt
cat > expected.txt <<'END'
1.01 by 0.25: -1.25 and 1
37.61 by 0.05: -37.65 and 37.6
6 by 5: -10 and 5
37.634 by 0.01: -37.64 and 37.63
37.634 by 2 decimal places: -37.63 and 37.63
END
diff expected.txt seen.txt
