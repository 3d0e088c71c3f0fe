#!/usr/bin/env bash
# ta.js 1.17.0 deletes and reorders prices of its caller, and has no word of it for these functions:
# 1. std(data, length), the standard deviation of the last values, cuts all older ones off the array that it was given. What
#    is worked out next from the same prices has 20 of them instead of 60: an average of 50 is empty, an EMA begins anew.
# 2. percentile() sorts the rows of its caller by their last column: bars in the order of time are in the order of price.
# 3. divergence() cuts the longer of two series.
# And hv(), the historical volatility, divides the root of the sum of squares by the length and takes the root again: of
# prices in cents it is ten times that of the same prices in dollars, so that it is neither a deviation nor a part.
# Expected: the arrays as they were; a hundred times as much in cents, as std() has it, or the same for one of returns.
# Seen:
#   60 prices, average of 50: 11 values before std(prices, 20), 0 after; EMA of 12 at the end: 104.28 and 104.93
#   rows before percentile(): [[3,30],[1,10],[2,20]], after: [[1,10],[2,20],[3,30]]
#   lengths before divergence(): 7 and 8, after: 7 and 7
#   in cents, times the value in dollars: hv 10, std 100
# Exit code 0 while that is so, 1 when it changes. Needs Node.js 20 and npm.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --no-save --ignore-scripts --silent --no-audit --no-fund ta.js@1.17.0
cat > check.mjs <<'SCRIPT'
import ta from 'ta.js';

const prices = Array.from({ length: 60 }, (_, at) => Math.round(10_000 + 1000 * Math.sin(at / 5) + 20 * at) / 100);
const cents = prices.map((price) => price * 100);
const times = (of) => (of([...cents], 10).at(-1) / of([...prices], 10).at(-1)).toFixed(0);
const volatility = `in cents, times the value in dollars: hv ${times(ta.hv)}, std ${times((...of) => [ta.std(...of)])}`;

const ends = () => [ta.sma(prices, 50).length, ta.ema(prices, 12).at(-1).toFixed(2)];
const [before, early] = ends();
ta.std(prices, 20);
const [after, late] = ends();
const averages = `average of 50: ${before} values before std(prices, 20), ${after} after`;
console.log(`60 prices, ${averages}; EMA of 12 at the end: ${early} and ${late}`);

const rows = [[3, 30], [1, 10], [2, 20]];
const asGiven = JSON.stringify(rows);
ta.percentile(rows, 0.5);
console.log(`rows before percentile(): ${asGiven}, after: ${JSON.stringify(rows)}`);

const [one, other] = [[48, 34, 43, 54, 56, 64, 43], [76, 74, 43, 55, 34, 32, 45, 47]];
const lengths = () => `${one.length} and ${other.length}`;
const given = lengths();
ta.divergence(one, other);
console.log(`lengths before divergence(): ${given}, after: ${lengths()}`);
console.log(volatility);
SCRIPT
node check.mjs | tee seen.txt
cat > expected.txt <<'END'
60 prices, average of 50: 11 values before std(prices, 20), 0 after; EMA of 12 at the end: 104.28 and 104.93
rows before percentile(): [[3,30],[1,10],[2,20]], after: [[1,10],[2,20],[3,30]]
lengths before divergence(): 7 and 8, after: 7 and 7
in cents, times the value in dollars: hv 10, std 100
END
diff expected.txt seen.txt
