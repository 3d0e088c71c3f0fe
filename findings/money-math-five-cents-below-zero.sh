#!/usr/bin/env bash
# money-math 2.6.3 rounds amounts below zero to others than their five cents, and raises no error:
# 1. roundTo5Cents: -0.09 is 0.00 and -1.14 is -1.05, nine cents away, where no amount is more than two and a half.
# 2. roundUpTo5Cents adds what a positive amount lacks: -0.09 is -0.08, which is no multiple of five cents.
# Its README names both for bills in Swiss francs, whose coins end at five cents, and has negative amounts among its examples;
# fees, losses and credits are such. The same amounts above zero are right.
# Exit code 0 while that is so, 1 when it changes. Needs Node.js 20 and npm.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true}' > package.json
npm install --no-save --ignore-scripts --silent --no-audit --no-fund money-math@2.6.3
cat > check.cjs <<'SCRIPT'
const { version } = require('money-math/package.json');
const money = require('money-math');

console.log(`money-math ${version}`);
for (const amount of ['0.09', '1.14', '-0.07', '-0.09', '-1.14']) {
  console.log(`${amount}: nearest ${money.roundTo5Cents(amount)}, up ${money.roundUpTo5Cents(amount)}`);
}
SCRIPT
node check.cjs | tee seen.txt
cat > expected.txt <<'TEXT'
money-math 2.6.3
0.09: nearest 0.10, up 0.10
1.14: nearest 1.15, up 1.15
-0.07: nearest -0.05, up -0.04
-0.09: nearest 0.00, up -0.08
-1.14: nearest -1.05, up -1.13
TEXT
diff expected.txt seen.txt
