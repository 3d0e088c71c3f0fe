#!/bin/sh
# Two packages name the internal rate of return of a great loss infinite, with the sign of a gain, and raise no error:
# 1. financial 0.2.4, "a port of numpy-financial": irr() is Infinity for every sale after a year that brings back half or less.
#    Newton's method runs away, and far away the present value is near 0, which the package takes for the end of its search.
#    irr() of numpy-financial finds these rates.
# 2. financejs 4.1.0: XIRR() is Infinity below a half, and NaN for a half itself.
# Expected: the rate of each, which is the part that came back less 1, as node-irr 2.0.5 and xirr 1.1.0 have it.
# Seen, purchase for 1000, sale for this price 365 days later:
#   600: financial -0.40, financejs -40, node-irr -0.40, xirr -0.40
#   500: financial Infinity, financejs NaN, node-irr -0.50, xirr -0.50
#   300: financial Infinity, financejs Infinity, node-irr -0.70, xirr -0.70
#   10: financial Infinity, financejs Infinity, node-irr -0.99, xirr -0.99
# Exit code 0 while that is so, 1 when it changes. Needs Node.js 20 and npm.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --ignore-scripts --silent --no-audit --no-fund financial@0.2.4 financejs@4.1.0 node-irr@2.0.5 xirr@1.1.0
cat > check.mjs <<'SCRIPT'
import { Finance } from 'financejs';
import financial from 'financial';
import nodeIrr from 'node-irr';
import xirr from 'xirr';

const DATES = [new Date('2023-01-01'), new Date('2024-01-01')];
const text = (rate) => (Number.isFinite(rate) ? rate.toFixed(2) : String(rate));
for (const price of [600, 500, 300, 10]) {
  const flows = [-1000, price];
  const percents = new Finance().XIRR(flows, DATES);
  const peer = xirr(flows.map((amount, index) => ({ amount, when: DATES[index] })));
  const rates = [`financial ${text(financial.irr(flows))}`, `financejs ${percents}`];
  console.log(`${price}: ${rates.join(', ')}, node-irr ${text(nodeIrr.irr(flows))}, xirr ${text(peer)}`);
}
SCRIPT
node check.mjs | tee seen.txt
cat > expected.txt <<'END'
600: financial -0.40, financejs -40, node-irr -0.40, xirr -0.40
500: financial Infinity, financejs NaN, node-irr -0.50, xirr -0.50
300: financial Infinity, financejs Infinity, node-irr -0.70, xirr -0.70
10: financial Infinity, financejs Infinity, node-irr -0.99, xirr -0.99
END
diff expected.txt seen.txt
