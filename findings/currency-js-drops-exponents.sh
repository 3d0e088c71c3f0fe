#!/bin/sh
# currency.js 2.0.4 removes the letter e from a text and keeps the digits behind it: the valid number "1.5e3" is 1.53 and
# "1E5" is 15, also with `errorOnInvalid: true`, which raises for texts without a number. A negative exponent, as in "1e-05"
# (how pandas and JavaScript write small prices), becomes NaN, without that error. Numbers that are no texts are read right.
# Expected: the number that JavaScript, Python and RFC 8259 read, or an error.
# Seen:
#   1.5e3 is 1500, currency.js has 1.53
#   1E5 is 100000, currency.js has 15
#   2.5E+3 is 2500, currency.js has 2.53
#   1e-05 is 0.00001, currency.js has NaN
# Exit code 0 while that is so, 1 when it changes. Needs Node.js 20 and npm.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --ignore-scripts --silent --no-audit --no-fund currency.js@2.0.4
cat > check.mjs <<'SCRIPT'
import currency from 'currency.js';

for (const text of ['1.5e3', '1E5', '2.5E+3', '1e-05']) {
  const { value } = currency(text, { errorOnInvalid: true, precision: 8 });
  console.log(`${text} is ${Number(text)}, currency.js has ${value}`);
}
SCRIPT
node check.mjs | tee seen.txt
cat > expected.txt <<'END'
1.5e3 is 1500, currency.js has 1.53
1E5 is 100000, currency.js has 15
2.5E+3 is 2500, currency.js has 2.53
1e-05 is 0.00001, currency.js has NaN
END
diff expected.txt seen.txt
