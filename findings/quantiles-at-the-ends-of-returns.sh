#!/usr/bin/env bash
# Two packages have wrong quantiles near the ends of a series, where those of losses and gains (value at risk) are asked for:
# 1. jstat 1.9.6: percentile() does not interpolate in its highest interval and answers with the last value but one: of 20
#    returns the quantiles 0.95 and 0.99 are alike, and the gain of 30 % has no weight below 1. The same series with the other
#    sign has another answer for the same part. Its documentation takes 0 to 1 and names no exception.
# 2. stats-lite 2.2.0: percentile() runs on below the lowest value, with the slope of the two lowest: of 20 returns the
#    quantile 0.01 is a loss of 36.3 %, and no loss was above 30 %. At the other end it stops at the highest value.
# Expected: no quantile outside of the data, and the same for a series and its mirror, as d3-array 3.2.5 has them.
# Seen, 20 returns, -9 %, -8 % to 9 % and one of 30 %, and the same with the other sign:
#   gains: jstat 0.95 is 0.0900, 0.99 is 0.0900; d3-array 0.95 is 0.1005, 0.99 is 0.2601
#   losses: jstat 0.05 is -0.1005, 0.01 is -0.2601; d3-array 0.05 is -0.1005, 0.01 is -0.2601
#   gains: stats-lite 0.99 is 0.3000, greatest 0.3000
#   losses: stats-lite 0.01 is -0.3630, greatest -0.3000
# Exit code 0 while that is so, 1 when it changes. Needs Node.js 20 and npm.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --no-save --ignore-scripts --silent --no-audit --no-fund jstat@1.9.6 stats-lite@2.2.0 d3-array@3.2.5
cat > check.mjs <<'SCRIPT'
import { quantile } from 'd3-array';
import jstat from 'jstat';
import lite from 'stats-lite';

const gains = [...Array(19).keys()].map((at) => (at - 9) / 100).concat(0.3);
const losses = gains.map((each) => -each);
const text = (of, returns, parts) => parts.map((part) => `${part} is ${of(returns, part).toFixed(4)}`).join(', ');
const compare = (name, returns, parts) => {
  const own = text((values, part) => jstat.jStat.percentile(values, part), returns, parts);
  console.log(`${name}: jstat ${own}; d3-array ${text(quantile, returns, parts)}`);
};
compare('gains', gains, [0.95, 0.99]);
compare('losses', losses, [0.05, 0.01]);
console.log(`gains: stats-lite ${text(lite.percentile, gains, [0.99])}, greatest ${Math.max(...gains).toFixed(4)}`);
console.log(`losses: stats-lite ${text(lite.percentile, losses, [0.01])}, greatest ${Math.min(...losses).toFixed(4)}`);
SCRIPT
node check.mjs | tee seen.txt
cat > expected.txt <<'END'
gains: jstat 0.95 is 0.0900, 0.99 is 0.0900; d3-array 0.95 is 0.1005, 0.99 is 0.2601
losses: jstat 0.05 is -0.1005, 0.01 is -0.2601; d3-array 0.05 is -0.1005, 0.01 is -0.2601
gains: stats-lite 0.99 is 0.3000, greatest 0.3000
losses: stats-lite 0.01 is -0.3630, greatest -0.3000
END
diff expected.txt seen.txt
