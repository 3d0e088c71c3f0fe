#!/bin/sh
# Four readers of MT940, the statement of an account that banks and brokers send, have entry dates that are a year away when
# the value date and the entry date are in different years. Field 61 of MT940 has a value date with a year (231229) and an
# entry date of month and day alone (0102); all four give the entry the year of the value. No error is raised, and the
# balance fits.
# Expected: the year in which the two dates are near, 2024-01-02 and 2023-12-29, which the Python package mt-940 works out.
# Seen, entry dates of the value dates 2023-12-29 (entered on 2 January) and 2024-01-02 (entered on 29 December):
#   mt940js 1.3.5: 2023-01-02, 2024-12-29
#   mt940-js 1.0.0: 2023-01-02, 2024-12-29
#   swiftmessageparser 1.2.1: 2023-01-02, 2024-12-29
#   @centrapay/swift-parser 1.0.1: 2023-01-02, 2024-12-29
# Exit code 0 while that is so, 1 when it changes. Needs Node.js 20 and npm.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --ignore-scripts --silent --no-audit --no-fund mt940js@1.3.5 mt940-js@1.0.0 tslib@2.8.1 \
  swiftmessageparser@1.2.1 @centrapay/swift-parser@1.0.1
cat > check.mjs <<'SCRIPT'
import centrapay from '@centrapay/swift-parser';
import { read } from 'mt940-js';
import mt940js from 'mt940js';
import swiftmessageparser from 'swiftmessageparser';

const data = [
  ':20:STATEMENT',
  ':25:NL91ABNA0417164300',
  ':28C:1/1',
  ':60F:C231228EUR1000,00',
  ':61:2312290102C100,00NTRFFIRST',
  ':86:sale of shares',
  ':61:2401021229D40,00NTRFSECOND',
  ':86:custody fee',
  ':62F:C240102EUR1060,00',
  '-',
].join('\n');
const show = (name, [{ transactions }]) => {
  const dates = transactions.map(({ entryDate }) => new Date(entryDate).toISOString().slice(0, 10));
  console.log(`${name}: ${dates.join(', ')}`);
};
const parse = centrapay.parse ?? centrapay;
show('mt940js 1.3.5', new (mt940js.Parser ?? mt940js)().parse(data));
show('mt940-js 1.0.0', await read(Buffer.from(data)));
show('swiftmessageparser 1.2.1', swiftmessageparser.parse({ type: 'mt940', data }));
show('@centrapay/swift-parser 1.0.1', parse({ type: 'mt940', data }));
SCRIPT
TZ=UTC node check.mjs | tee seen.txt
cat > expected.txt <<'END'
mt940js 1.3.5: 2023-01-02, 2024-12-29
mt940-js 1.0.0: 2023-01-02, 2024-12-29
swiftmessageparser 1.2.1: 2023-01-02, 2024-12-29
@centrapay/swift-parser 1.0.1: 2023-01-02, 2024-12-29
END
diff expected.txt seen.txt
