#!/bin/sh
# csv-parse 7.0.3 with `cast: true` reads every text that begins with 0x as the number 0: the addresses of contracts and the
# hashes of transactions, as block explorers and exchanges export them, are all alike. It takes a text for a number when
# Number() reads it, and then takes parseFloat() of it, which stops at the x. `0b11` becomes 0 too.
# Expected: the text, since a CSV file has no hexadecimal numbers, or the number that Number() reads.
# Seen:
#   {"token":0,"amount":1.5}
#   {"token":0,"amount":2}
#   without cast: 0xdAC17F958D2ee523a2206206994597C13D831ec7
# Exit code 0 while that is so, 1 when it changes. Needs Node.js 20 and npm.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --ignore-scripts --silent --no-audit --no-fund csv-parse@7.0.3
cat > check.mjs <<'SCRIPT'
import { parse } from 'csv-parse/sync';

// The contracts of USDT and USDC on Ethereum.
const file = `token,amount
0xdAC17F958D2ee523a2206206994597C13D831ec7,1.5
0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48,2
`;
for (const row of parse(file, { columns: true, cast: true })) console.log(JSON.stringify(row));
console.log('without cast:', parse(file, { columns: true })[0].token);
SCRIPT
node check.mjs | tee seen.txt
cat > expected.txt <<'END'
{"token":0,"amount":1.5}
{"token":0,"amount":2}
without cast: 0xdAC17F958D2ee523a2206206994597C13D831ec7
END
diff expected.txt seen.txt
