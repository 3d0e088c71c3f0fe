#!/bin/sh
# indicatorts 2.2.2 has other values of RSI and CCI than two peers and the definitions of Wilder and Lambert:
# 1. rsi() counts the first price as a change of 0, so that the first 14 changes are 13 and a nought. The difference fades and
#    never ends. It has values from the second price on: after one small fall the RSI of a period of 14 is 0, "oversold".
# 2. cci() compares each typical price with the average at its own bar, not with that of the bar whose CCI it is.
# Expected: no RSI before 15 prices, then 37.79 at the end of this series; a CCI of -134.33.
# Seen, of 33 closing prices, each with a high and a low 0.50 away from it:
#   RSI 14 of the last: indicatorts 37.35, trading-signals 37.79, technicalindicators 37.79
#   CCI 20 of the last: indicatorts -130.53, trading-signals -134.33, technicalindicators -134.33
#   RSI 14 after two prices: indicatorts 0, trading-signals null
# Exit code 0 while that is so, 1 when it changes. Needs Node.js 20 and npm.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --ignore-scripts --silent --no-audit --no-fund indicatorts@2.2.2 trading-signals@8.3.0 technicalindicators@3.1.0
cat > check.mjs <<'SCRIPT'
import { cci, rsi } from 'indicatorts';
import * as technical from 'technicalindicators';
import { CCI, RSI } from 'trading-signals';

const cents = `4434 4409 4415 4361 4433 4483 4510 4542 4584 4608 4589 4603 4561 4628 4628 4600 4603 4641 4622 4564 4621 4625
  4571 4645 4578 4535 4403 4418 4422 4457 4342 4266 4313`;
const close = cents.split(/\s+/).map((text) => Number(text) / 100);
const high = close.map((price) => price + 0.5);
const low = close.map((price) => price - 0.5);
const fed = (indicator, values) => values.map((value) => indicator.update(value, false)).at(-1);
const bars = close.map((price, at) => ({ high: high[at], low: low[at], close: price }));
const NAMES = ['indicatorts', 'trading-signals', 'technicalindicators'];
const show = (name, values) =>
  console.log(`${name}: ${values.map((value, at) => `${NAMES[at]} ${value.toFixed(2)}`).join(', ')}`);
show('RSI 14 of the last', [
  rsi(close, { period: 14 }).at(-1),
  fed(new RSI(14), close),
  technical.RSI.calculate({ period: 14, values: close }).at(-1),
]);
show('CCI 20 of the last', [
  cci(high, low, close, { period: 20 }).at(-1),
  fed(new CCI(20), bars),
  technical.CCI.calculate({ period: 20, high, low, close }).at(-1),
]);
const two = close.slice(0, 2);
const [ofTwo, ofPeer] = [rsi(two, { period: 14 }).at(-1), fed(new RSI(14), two)];
console.log(`RSI 14 after two prices: indicatorts ${ofTwo}, trading-signals ${ofPeer}`);
SCRIPT
node check.mjs | tee seen.txt
cat > expected.txt <<'END'
RSI 14 of the last: indicatorts 37.35, trading-signals 37.79, technicalindicators 37.79
CCI 20 of the last: indicatorts -130.53, trading-signals -134.33, technicalindicators -134.33
RSI 14 after two prices: indicatorts 0, trading-signals null
END
diff expected.txt seen.txt
