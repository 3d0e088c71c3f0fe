#!/usr/bin/env bash
# technicalindicators 3.1.0 has other values of two indicators of volume than two peers:
# 1. MFI counts a bar whose typical price is that of the bar before as one at which money flows out. Of seven rises and eight
#    quiet minutes it is 42.28, where no price fell. The index compares rises with falls, and an equal price is neither.
# 2. ADL writes whole numbers: of volumes in bitcoin it is 0, 1, 1, 1. A bar without a range, as of a share that stands at its
#    limit of the day, adds its whole volume, as if it had closed at the high of a range.
# Its README names neither the rounding nor these cases.
# Expected: 100, and 0.32, 0.56, 0.56 and 0.70, as @ixjb94/indicators 1.2.4 and trading-signals 8.3.0 have them.
# Seen:
#   MFI of 14: technicalindicators 42.28, @ixjb94/indicators 100, trading-signals 100
#   ADL, technicalindicators: 0.00 1.00 1.00 1.00
#   ADL, @ixjb94/indicators: 0.32 0.56 0.56 0.70
#   ADL, trading-signals: 0.32 0.56 0.56 0.70
#   ADL of a bar of 1000 without a range: technicalindicators 1000, @ixjb94/indicators 0, trading-signals 0
# Exit code 0 while that is so, 1 when it changes. Needs Node.js 20 and npm.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --no-save --ignore-scripts --silent --no-audit --no-fund technicalindicators@3.1.0 @ixjb94/indicators@1.2.4 \
  trading-signals@8.3.0
cat > check.mjs <<'SCRIPT'
import ixjb from '@ixjb94/indicators';
import * as technical from 'technicalindicators';
import { AD, MFI } from 'trading-signals';

const NAMES = ['technicalindicators', '@ixjb94/indicators', 'trading-signals'];
const arrays = new ixjb.IndicatorsSync();
const columns = (bars) => ['high', 'low', 'close', 'volume'].map((name) => bars.map((bar) => bar[name]));
const fed = (indicator, bars) => bars.map((bar) => indicator.update(bar, false));
const adl = (bars) => {
  const [high, low, close, volume] = columns(bars);
  return [technical.ADL.calculate({ high, low, close, volume }), arrays.ad(high, low, close, volume), fed(new AD(), bars)];
};
const last = (results) => NAMES.map((name, at) => `${name} ${results[at].at(-1)}`).join(', ');

const minutes = Array.from({ length: 16 }, (_, at) => 100 + Math.min(at, 7)).map((close) => {
  return { high: close + 0.5, low: close - 0.5, close, volume: 10 };
});
const [high, low, close, volume] = columns(minutes);
const flows = [
  technical.MFI.calculate({ high, low, close, volume, period: 14 }),
  arrays.mfi(high, low, close, volume, 14),
  fed(new MFI(14), minutes),
];
console.log(`MFI of 14: ${last(flows)}`);
const bitcoin = [
  { high: 100.5, low: 99.5, close: 100.4, volume: 0.4 },
  { high: 101, low: 100, close: 100.9, volume: 0.3 },
  { high: 101, low: 101, close: 101, volume: 0.2 },
  { high: 101.5, low: 100.5, close: 101.2, volume: 0.35 },
];
for (const [at, values] of adl(bitcoin).entries()) {
  console.log(`ADL, ${NAMES[at]}: ${Array.from(values, (value) => value.toFixed(2)).join(' ')}`);
}
console.log(`ADL of a bar of 1000 without a range: ${last(adl([{ high: 5, low: 5, close: 5, volume: 1000 }]))}`);
SCRIPT
node check.mjs | tee seen.txt
cat > expected.txt <<'END'
MFI of 14: technicalindicators 42.28, @ixjb94/indicators 100, trading-signals 100
ADL, technicalindicators: 0.00 1.00 1.00 1.00
ADL, @ixjb94/indicators: 0.32 0.56 0.56 0.70
ADL, trading-signals: 0.32 0.56 0.56 0.70
ADL of a bar of 1000 without a range: technicalindicators 1000, @ixjb94/indicators 0, trading-signals 0
END
diff expected.txt seen.txt
