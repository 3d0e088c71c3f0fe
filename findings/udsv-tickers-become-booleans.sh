#!/bin/sh
# udsv 0.7.3 types a column by one cell, the last that is not empty among the first nine rows. Where that is T (AT&T) or F
# (Ford), the column of tickers is one of booleans, and every other ticker of the file becomes false, without an error.
# Expected: texts, since AAPL is no boolean, as they are when the rows have another order.
# Seen:
#   T,AAPL,MSFT: T,AAPL,MSFT
#   AAPL,MSFT,T: false,false,true
#   GM,TSLA,F: false,false,false
# Exit code 0 while that is so, 1 when it changes. Needs Node.js 20 and npm.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --ignore-scripts --silent --no-audit --no-fund udsv@0.7.3
cat > check.mjs <<'SCRIPT'
import { inferSchema, initParser } from 'udsv';

for (const tickers of [['T', 'AAPL', 'MSFT'], ['AAPL', 'MSFT', 'T'], ['GM', 'TSLA', 'F']]) {
  const file = `symbol,close\n${tickers.map((ticker, at) => `${ticker},${at + 1}\n`).join('')}`;
  const rows = initParser(inferSchema(file)).typedObjs(file);
  console.log(`${tickers.join()}: ${rows.map(({ symbol }) => symbol).join()}`);
}
SCRIPT
node check.mjs | tee seen.txt
cat > expected.txt <<'END'
T,AAPL,MSFT: T,AAPL,MSFT
AAPL,MSFT,T: false,false,true
GM,TSLA,F: false,false,false
END
diff expected.txt seen.txt
