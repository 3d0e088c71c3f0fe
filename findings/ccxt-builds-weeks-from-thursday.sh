#!/bin/sh
# ccxt 4.5.84 builds bars of a week from Thursday to Wednesday: buildOHLCVC() divides the time since 1970, which began on a
# Thursday, by seven days. roundTimeframe() of the same package begins a week on Monday, as the exchanges do whose weekly bars
# fetchOHLCV() brings, so that bars of trades and bars of the exchange have other times, and other prices in one week. A month
# has 30 days since 1970 there, which a comment in the code admits and the types of the package do not.
# Expected: one bar for trades of Monday 10 to Sunday 16 June 2024, and one for June, as roundTimeframe() has it.
# Seen, for trades on 10, 12, 13 and 16 June 2024 at 1, 2, 3 and 4:
#   1w: bars 2024-06-06 Thu open 1 close 2, 2024-06-13 Thu open 3 close 4; roundTimeframe 2024-06-10 Mon
#   1M: bars 2024-05-17 Fri open 1 close 3, 2024-06-16 Sun open 4 close 4; roundTimeframe 2024-06-01 Sat
# Exit code 0 while that is so, 1 when it changes. Needs Node.js 20 and npm.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --ignore-scripts --silent --no-audit --no-fund ccxt@4.5.84
cat > check.mjs <<'SCRIPT'
import ccxt from 'ccxt';

const DAYS = ['2024-06-10', '2024-06-12', '2024-06-13', '2024-06-16'];
const trades = DAYS.map((day, index) => ({ timestamp: Date.parse(`${day}T12:00:00Z`), price: index + 1, amount: 1 }));
const day = (milliseconds) => {
  const date = new Date(milliseconds);
  return `${date.toISOString().slice(0, 10)} ${date.toUTCString().slice(0, 3)}`;
};
const exchange = new ccxt.binance();
for (const timeframe of ['1w', '1M']) {
  const bars = exchange.buildOHLCVC(trades, timeframe);
  const texts = bars.map(([time, open, , , close]) => `${day(time)} open ${open} close ${close}`);
  const starts = trades.map(({ timestamp }) => day(ccxt.roundTimeframe(timeframe, timestamp, ccxt.ROUND_DOWN)));
  console.log(`${timeframe}: bars ${texts.join(', ')}; roundTimeframe ${[...new Set(starts)].join(', ')}`);
}
SCRIPT
node check.mjs | tee seen.txt
cat > expected.txt <<'END'
1w: bars 2024-06-06 Thu open 1 close 2, 2024-06-13 Thu open 3 close 4; roundTimeframe 2024-06-10 Mon
1M: bars 2024-05-17 Fri open 1 close 3, 2024-06-16 Sun open 4 close 4; roundTimeframe 2024-06-01 Sat
END
diff expected.txt seen.txt
