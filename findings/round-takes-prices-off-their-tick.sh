#!/usr/bin/env bash
# round 2.0.1 takes a price that is on its tick to the next one: round.down(0.29, 0.01) is 0.28, round.up(0.07, 0.01) is 0.08.
# It divides by the multiple and takes the floor or the ceiling of what doubles make of that (28.999999999999996). Its README
# says nothing of a value that is a multiple already. Who rounds twice changes such a price twice.
# Expected: the price itself, as big.js 7.0.1 has it by its quotient. Without a direction the package has all of them right.
# Exit code 0 while that is so, 1 when it changes. Needs Node.js 20 and npm.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true}' > package.json
npm install --no-save --ignore-scripts --silent --no-audit --no-fund round@2.0.1 big.js@7.0.1
cat > check.cjs <<'SCRIPT'
const { version } = require('round/package.json');
const round = require('round');
const Big = require('big.js');

const peer = (price, mode) => Number(Big(price).div(0.01).round(0, mode).times(0.01));
const prices = Array.from({ length: 10_000 }, (_, index) => (index + 1) / 100);
const wrong = (change) => prices.filter((price) => change(price) !== price).length;
console.log(`round ${version}: 0.29 down ${round.down(0.29, 0.01)}, then ${round.down(round.down(0.58, 0.01), 0.01)} of 0.58`);
console.log(`0.07 up ${round.up(0.07, 0.01)}, 1.11 up ${round.up(1.11, 0.01)}`);
console.log(`of the prices from 0.01 to 100.00, down: ${wrong((price) => round.down(price, 0.01))} are others`);
console.log(`up: ${wrong((price) => round.up(price, 0.01))}, to the nearest: ${wrong((price) => round(price, 0.01))}`);
console.log(`big.js, down: ${wrong((price) => peer(price, Big.roundDown))}, up: ${wrong((price) => peer(price, Big.roundUp))}`);
SCRIPT
node check.cjs | tee seen.txt
cat > expected.txt <<'TEXT'
round 2.0.1: 0.29 down 0.28, then 0.56 of 0.58
0.07 up 0.08, 1.11 up 1.12
of the prices from 0.01 to 100.00, down: 1076 are others
up: 287, to the nearest: 0
big.js, down: 0, up: 0
TEXT
diff expected.txt seen.txt
