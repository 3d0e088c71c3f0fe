#!/bin/sh
# mt940-js 1.0.0 reads the reversal of an entry of MT940, the statement of an account that banks and brokers send, as one more
# entry of the same side. Field 61 has the marks C and D, and RC and RD: the reversal of a credit takes money away, that of a
# debit brings it. The package knows two letters and looks for a C in either, so that RC is a credit and RD is none, and it
# has no field that tells a reversal. No error is raised, and nothing is compared with the closing balance.
# Expected: a change of 0, as the balances of the file have it and as mt940js 1.3.5 and swiftmessageparser 1.2.1 read it.
# Seen, amounts of C 100, RC 100, D 40 and RD 40, and their sum with the opening balance of 1000 (the file closes with 1000):
#   mt940-js 1.0.0: 100, 100, -40, -40: 1120
#   mt940js 1.3.5: 100, -100, -40, 40: 1000
#   swiftmessageparser 1.2.1: 100, -100, -40, 40: 1000
# Exit code 0 while that is so, 1 when it changes. Needs Node.js 20 and npm.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --ignore-scripts --silent --no-audit --no-fund mt940-js@1.0.0 tslib@2.8.1 mt940js@1.3.5 swiftmessageparser@1.2.1
cat > check.mjs <<'SCRIPT'
import { read } from 'mt940-js';
import mt940js from 'mt940js';
import swiftmessageparser from 'swiftmessageparser';

const MARKS = ['C100,00', 'RC100,00', 'D40,00', 'RD40,00'];
const data = [
  ':20:STATEMENT',
  ':25:NL91ABNA0417164300',
  ':28C:1/1',
  ':60F:C240108EUR1000,00',
  ...MARKS.flatMap((mark, index) => [`:61:2401080108${mark}NTRFENTRY${index}`, ':86:custody fee']),
  ':62F:C240108EUR1000,00',
  '-',
].join('\n');
const show = (name, amounts) => {
  const sum = amounts.reduce((total, amount) => total + amount, 1000);
  console.log(`${name}: ${amounts.join(', ')}: ${sum}`);
};
const signed = ([{ transactions }]) => transactions.map(({ amount }) => Number(amount));
const [{ transactions }] = await read(Buffer.from(data));
show('mt940-js 1.0.0', transactions.map(({ amount, isCredit }) => (isCredit ? amount : -amount)));
show('mt940js 1.3.5', signed(new (mt940js.Parser ?? mt940js)().parse(data)));
show('swiftmessageparser 1.2.1', signed(swiftmessageparser.parse({ type: 'mt940', data })));
SCRIPT
TZ=UTC node check.mjs | tee seen.txt
cat > expected.txt <<'END'
mt940-js 1.0.0: 100, 100, -40, -40: 1120
mt940js 1.3.5: 100, -100, -40, 40: 1000
swiftmessageparser 1.2.1: 100, -100, -40, 40: 1000
END
diff expected.txt seen.txt
