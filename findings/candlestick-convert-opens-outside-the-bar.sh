#!/bin/sh
# candlestick-convert 7.0.0 makes bars of trades whose open is outside of their low and high: it takes the close of the bar
# before for the open, across minutes without trades too, and leaves it out of high and low. A service that checks
# low <= open <= high, as an evidence store must, refuses these bars. batchTradeToExtCandle also leaves the first trade of
# every bar but the first out of `tx` and `buyVolume`, so that a bar of one purchase has none.
# Expected: open is the price of the first trade of the minute; tx 1 and buyVolume 1 for the second bar.
# Seen, of purchases of 1 at 100, 103 (minute 0), 90 (minute 1) and 120 (minute 5):
#   minute 0: open 100 high 103 low 100 close 103, tx 2, volume 2, buyVolume 2
#   minute 1: open 103 high 90 low 90 close 90, tx 0, volume 1, buyVolume 0
#   minute 5: open 90 high 120 low 120 close 120, tx 0, volume 1, buyVolume 0
# Exit code 0 while that is so, 1 when it changes. Needs Node.js 20 and npm.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --ignore-scripts --silent --no-audit --no-fund candlestick-convert@7.0.0
cat > check.mjs <<'SCRIPT'
import assert from 'node:assert/strict';
import { batchTicksToCandle, batchTradeToExtCandle, TradeSide } from 'candlestick-convert';

const start = Date.UTC(2024, 5, 10, 13, 30);
const trades = [[0, 100], [30, 103], [60, 90], [300, 120]].map(([seconds, price]) => ({
  time: start + seconds * 1000,
  price,
  quantity: 1,
  side: TradeSide.BUY,
}));
const ticks = batchTicksToCandle(trades, 60, true);
const bars = batchTradeToExtCandle(trades, 60, true);
for (const [at, { time, open, high, low, close, volume, tx, buyVolume }] of bars.entries()) {
  assert.deepEqual([ticks[at].open, ticks[at].high, ticks[at].low, ticks[at].close], [open, high, low, close]);
  const prices = `open ${open} high ${high} low ${low} close ${close}`;
  console.log(`minute ${(time - start) / 60_000}: ${prices}, tx ${tx}, volume ${volume}, buyVolume ${buyVolume}`);
}
SCRIPT
node check.mjs | tee seen.txt
cat > expected.txt <<'END'
minute 0: open 100 high 103 low 100 close 103, tx 2, volume 2, buyVolume 2
minute 1: open 103 high 90 low 90 close 90, tx 0, volume 1, buyVolume 0
minute 5: open 90 high 120 low 120 close 120, tx 0, volume 1, buyVolume 0
END
diff expected.txt seen.txt
