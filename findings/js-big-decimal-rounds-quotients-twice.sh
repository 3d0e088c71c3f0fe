#!/bin/sh
# js-big-decimal 2.2.0 rounds a quotient without its far digits: divide() works out two digits more than asked for, and rounds
# those alone. 271.66500508 is then the tie 271.6650 and becomes 271.66 by HALF_EVEN, the default; and what begins behind
# these digits is not rounded up by UP and CEILING. Its README says that the modes are those of Java.
# Expected: 271.67, which is nearer, and 0.01 for UP and CEILING, as bignumber.js 11.1.5 and java.math.RoundingMode have them.
# Seen, money by units with two decimals (an average price, a fee for each unit):
#   267590.03 / 985 = 271.66500508, HALF_EVEN: js-big-decimal 271.66, bignumber.js 271.67
#   101732.45 / 549 = 185.30500911, HALF_EVEN: js-big-decimal 185.30, bignumber.js 185.31
#   4 / 792 = 0.00505051, HALF_EVEN: js-big-decimal 0.00, bignumber.js 0.01
#   1 / 30000 = 0.00003333, UP: js-big-decimal 0.00, bignumber.js 0.01
#   100 / 9999999 = 0.00001000, CEILING: js-big-decimal 0.00, bignumber.js 0.01
# Exit code 0 while that is so, 1 when it changes. Needs Node.js 20 and npm.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --ignore-scripts --silent --no-audit --no-fund js-big-decimal@2.2.0 bignumber.js@11.1.5
cat > check.mjs <<'SCRIPT'
import { BigNumber } from 'bignumber.js';
import imported from 'js-big-decimal';

const Decimal = imported.default ?? imported;
const MODES = {
  HALF_EVEN: BigNumber.ROUND_HALF_EVEN,
  UP: BigNumber.ROUND_UP,
  CEILING: BigNumber.ROUND_CEIL,
};
const CASES = [
  ['267590.03', '985', 'HALF_EVEN'],
  ['101732.45', '549', 'HALF_EVEN'],
  ['4', '792', 'HALF_EVEN'],
  ['1', '30000', 'UP'],
  ['100', '9999999', 'CEILING'],
];
for (const [money, units, mode] of CASES) {
  const exact = new BigNumber(money).div(units);
  const seen = Decimal.divide(money, units, 2, Decimal.RoundingModes[mode]);
  const title = `${money} / ${units} = ${exact.toFixed(8)}, ${mode}`;
  console.log(`${title}: js-big-decimal ${seen}, bignumber.js ${exact.toFixed(2, MODES[mode])}`);
}
SCRIPT
node check.mjs | tee seen.txt
cat > expected.txt <<'END'
267590.03 / 985 = 271.66500508, HALF_EVEN: js-big-decimal 271.66, bignumber.js 271.67
101732.45 / 549 = 185.30500911, HALF_EVEN: js-big-decimal 185.30, bignumber.js 185.31
4 / 792 = 0.00505051, HALF_EVEN: js-big-decimal 0.00, bignumber.js 0.01
1 / 30000 = 0.00003333, UP: js-big-decimal 0.00, bignumber.js 0.01
100 / 9999999 = 0.00001000, CEILING: js-big-decimal 0.00, bignumber.js 0.01
END
diff expected.txt seen.txt
