#!/bin/sh
# fraction.js 5.3.4 makes another number of a price that is given as a number: it searches a fraction with a denominator up to
# about ten million and stops at the first that is near. Prices below some 8e-8 are 0, and 12345678.91 is more by 0.10.
# Its README says that "too large exact numbers" are approximated wrongly, and nothing of small ones; texts are exact.
# Expected: the nearest fraction to a double is the double itself, which is an integer times a power of two.
# Seen, number given and value of the fraction:
#   0.000000012345: 0
#   1.00000001: 1
#   0.30000000000000004: 0.3
#   123456.789: 123456.79012345678
#   12345678.91: 12345679.01234568
#   99999999.99: 100000000
#   as a text, 0.000000012345 times 1,000,000: 0.012345
# Exit code 0 while that is so, 1 when it changes. Needs Node.js 20 and npm.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --ignore-scripts --silent --no-audit --no-fund fraction.js@5.3.4
cat > check.mjs <<'SCRIPT'
import Fraction from 'fraction.js';

for (const price of ['0.000000012345', '1.00000001', '0.30000000000000004', '123456.789', '12345678.91', '99999999.99'])
  console.log(`${price}: ${new Fraction(Number(price)).valueOf()}`);
const exact = new Fraction('0.000000012345').mul(1_000_000).valueOf();
console.log(`as a text, 0.000000012345 times 1,000,000: ${exact}`);
SCRIPT
node check.mjs | tee seen.txt
cat > expected.txt <<'END'
0.000000012345: 0
1.00000001: 1
0.30000000000000004: 0.3
123456.789: 123456.79012345678
12345678.91: 12345679.01234568
99999999.99: 100000000
as a text, 0.000000012345 times 1,000,000: 0.012345
END
diff expected.txt seen.txt
