#!/bin/sh
# ccxt 4.5.84: parse8601 of a date without a time, of an offset without minutes or of a time followed by `UTC` is undefined,
# not an error. Given as the start of a history, undefined means "no start": the request has no startTime, and brings the
# newest bars.
# Expected: midnight UTC of 1 January 2020, as parse8601 of 2020-01-01T00:00:00Z and Date.parse have it, or an error.
# Seen, what is asked of the exchange (the request is caught before it is sent):
#   2020-01-01T00:00:00Z: interval=1d&limit=3&symbol=BTCUSDT&startTime=1577836800000
#   2020-01-01T00:00:00+00: interval=1d&limit=3&symbol=BTCUSDT
#   2020-01-01 00:00:00 UTC: interval=1d&limit=3&symbol=BTCUSDT
#   2020-01-01: interval=1d&limit=3&symbol=BTCUSDT
# Exit code 0 while that is so, 1 when it changes. Needs Node.js 20 and npm.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --ignore-scripts --silent --no-audit --no-fund ccxt@4.5.84
cat > check.mjs <<'SCRIPT'
import ccxt from 'ccxt';

const exchange = new ccxt.binance();
exchange.setMarkets([
  { id: 'BTCUSDT', symbol: 'BTC/USDT', type: 'spot', spot: true, base: 'BTC', quote: 'USDT', precision: {}, limits: {} },
]);
let asked = '';
exchange.fetch = async (url) => {
  asked = new URL(url).search.slice(1);
  return [];
};
for (const text of ['2020-01-01T00:00:00Z', '2020-01-01T00:00:00+00', '2020-01-01 00:00:00 UTC', '2020-01-01']) {
  await exchange.fetchOHLCV('BTC/USDT', '1d', exchange.parse8601(text), 3);
  console.log(`${text}: ${asked}`);
}
SCRIPT
node check.mjs | tee seen.txt
cat > expected.txt <<'END'
2020-01-01T00:00:00Z: interval=1d&limit=3&symbol=BTCUSDT&startTime=1577836800000
2020-01-01T00:00:00+00: interval=1d&limit=3&symbol=BTCUSDT
2020-01-01 00:00:00 UTC: interval=1d&limit=3&symbol=BTCUSDT
2020-01-01: interval=1d&limit=3&symbol=BTCUSDT
END
diff expected.txt seen.txt
