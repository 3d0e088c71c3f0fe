#!/usr/bin/env bash
# nodejs-order-book 10.1.1 and hft-limit-order-book 7.0.2, matching engines, add and subtract sizes as doubles, and keep what
# is left of that in the book. 0.1 and 0.2 are offered and 0.3 is bought: an order of 2.8e-17 stays, is the best ask, and is
# the reason why an order that must not take is refused. 0.7 and 0.1 are offered at one price and 0.8 is wanted, all or
# nothing: the book counts 0.7999999999999999 and refuses. Their READMEs have sizes "in units of base currency" and name
# neither a precision nor whole units.
# Expected: an empty level and both orders accepted, as @fuzefinance/orderbook-bignumber 10.1.0, the same book with decimals,
# has them.
# Seen, best ask after 0.3 was bought, then an order at 105 that is `postOnly`, with 5 on offer at 110; then the order for 0.8:
#   nodejs-order-book: best ask 101, size 2.7755575615628914e-17; postOnly refused; 0.8 of 0.7999999999999999: refused
#   hft-limit-order-book: best ask 101, size 2.7755575615628914e-17; postOnly refused; 0.8 of 0.7999999999999999: refused
#   @fuzefinance/orderbook-bignumber: best ask 110, size 5; postOnly accepted; 0.8 of 0.8: accepted
# Exit code 0 while that is so, 1 when it changes. Needs Node.js 20 and npm.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --no-save --ignore-scripts --silent --no-audit --no-fund nodejs-order-book@10.1.1 hft-limit-order-book@7.0.2 \
  @fuzefinance/orderbook-bignumber@10.1.0 bignumber.js@9.3.1
cat > check.mjs <<'SCRIPT'
import decimals from '@fuzefinance/orderbook-bignumber';
import { BigNumber } from 'bignumber.js';
import hft from 'hft-limit-order-book';
import nodejs from 'nodejs-order-book';

const answer = ({ err }) => (err === null ? 'accepted' : 'refused');
const show = (name, { OrderBook }, value) => {
  const offer = (book, id, size, price) => book.limit({ id, side: 'sell', size: value(size), price: value(price) });
  const taken = new OrderBook();
  offer(taken, 'first', 0.1, 100);
  offer(taken, 'second', 0.2, 101);
  offer(taken, 'third', 5, 110);
  taken.market({ side: 'buy', size: value(0.3) });
  const [price, size] = taken.depth()[0][0];
  const maker = answer(taken.limit({ id: 'maker', side: 'buy', size: value(1), price: value(105), postOnly: true }));
  const whole = new OrderBook();
  offer(whole, 'first', 0.7, 100);
  offer(whole, 'second', 0.1, 100);
  const offered = whole.depth()[0][0][1];
  const order = { id: 'all', side: 'buy', size: value(0.8), price: value(100), timeInForce: 'FOK' };
  const all = `0.8 of ${offered}: ${answer(whole.limit(order))}`;
  console.log(`${name}: best ask ${price}, size ${size}; postOnly ${maker}; ${all}`);
};
show('nodejs-order-book', nodejs, (number) => number);
show('hft-limit-order-book', hft, (number) => number);
show('@fuzefinance/orderbook-bignumber', decimals, (number) => new BigNumber(number));
SCRIPT
node check.mjs | tee seen.txt
cat > expected.txt <<'END'
nodejs-order-book: best ask 101, size 2.7755575615628914e-17; postOnly refused; 0.8 of 0.7999999999999999: refused
hft-limit-order-book: best ask 101, size 2.7755575615628914e-17; postOnly refused; 0.8 of 0.7999999999999999: refused
@fuzefinance/orderbook-bignumber: best ask 110, size 5; postOnly accepted; 0.8 of 0.8: accepted
END
diff expected.txt seen.txt
