#!/bin/sh
# @influxdata/influxdb-client 1.35.0 rounds integers in a field of integers: intField() reads its value with parseInt(), also
# where it is a bigint or a text, so that the identifier of an order 9007199254740993 is stored as ...992, and a time in
# nanoseconds loses its last digits. Its types say that it raises an error for what is out of the range of an int64, which
# these are not. uintField() of the same package keeps the digits of a text. 1.9 and "12 lots" are 1 and 12, without an error.
# Expected: the integer, as the line protocol of InfluxDB allows it (64 bits with a sign), or an error.
# Seen, values and what is written:
#   intField 9007199254740993 (bigint): order=9007199254740992i
#   intField 9007199254740993 (string): order=9007199254740992i
#   intField 1718026200123456789 (bigint): order=1718026200123456800i
#   uintField 9007199254740993 (string): order=9007199254740993u
#   intField 1.9 (number): order=1i
#   intField 12 lots (string): order=12i
# Exit code 0 while that is so, 1 when it changes. Needs Node.js 20 and npm.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --ignore-scripts --silent --no-audit --no-fund @influxdata/influxdb-client@1.35.0
cat > check.mjs <<'SCRIPT'
import { Point } from '@influxdata/influxdb-client';

const CASES = [
  ['intField', 9007199254740993n],
  ['intField', '9007199254740993'],
  ['intField', 1718026200123456789n],
  ['uintField', '9007199254740993'],
  ['intField', 1.9],
  ['intField', '12 lots'],
];
for (const [method, value] of CASES) {
  const line = new Point('fill')[method]('order', value).timestamp('1').toLineProtocol();
  console.log(`${method} ${value} (${typeof value}): ${line.split(' ')[1]}`);
}
SCRIPT
node check.mjs | tee seen.txt
cat > expected.txt <<'END'
intField 9007199254740993 (bigint): order=9007199254740992i
intField 9007199254740993 (string): order=9007199254740992i
intField 1718026200123456789 (bigint): order=1718026200123456800i
uintField 9007199254740993 (string): order=9007199254740993u
intField 1.9 (number): order=1i
intField 12 lots (string): order=12i
END
diff expected.txt seen.txt
