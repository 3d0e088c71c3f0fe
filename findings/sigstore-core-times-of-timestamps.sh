#!/bin/sh
# @sigstore/core 4.0.1, which reads timestamps of RFC 3161, cuts a time to its second and refuses most fractions of one. RFC
# 3161 (2.4.2) has fractions of a second of any length, without zeros at their end. The package knows fractions of three
# digits alone: a clock of milliseconds is refused for each tenth timestamp (`.5Z`), a clock of microseconds for nearly all.
# Of those that it reads it leaves the fraction out: a document that was stamped 1 ms before an hour was stamped 1 s before.
# Expected: the time in milliseconds, as asn1js 4.0.0 and node-forge 1.4.3 read it.
# Seen, GeneralizedTime of 2 January 2024, 03:04, and seconds of the date:
#   05Z: @sigstore/core 05.000, asn1js 05.000, node-forge 05.000
#   05.999Z: @sigstore/core 05.000, asn1js 05.999, node-forge 05.999
#   05.5Z: @sigstore/core invalid time, asn1js 05.500, node-forge 05.500
#   05.123456Z: @sigstore/core invalid time, asn1js 05.123, node-forge 05.123
# Exit code 0 while that is so, 1 when it changes. Needs Node.js 22.22 and npm.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --ignore-scripts --silent --no-audit --no-fund @sigstore/core@4.0.1 asn1js@4.0.0 node-forge@1.4.3
cat > check.mjs <<'SCRIPT'
import core from '@sigstore/core';
import * as asn1js from 'asn1js';
import forge from 'node-forge';

const GENERALIZED_TIME = 0x18;
const seconds = (read) => {
  try {
    return read().toISOString().slice(17, 23);
  } catch ({ message }) {
    return message;
  }
};
for (const text of ['05Z', '05.999Z', '05.5Z', '05.123456Z']) {
  const time = `202401020304${text}`;
  const der = Buffer.from([GENERALIZED_TIME, time.length, ...Buffer.from(time)]);
  const bySigstore = seconds(() => core.ASN1Obj.parseBuffer(der).toDate());
  const byAsn1js = seconds(() => asn1js.fromBER(new Uint8Array(der).buffer).result.toDate());
  const byForge = seconds(() => forge.asn1.generalizedTimeToDate(time));
  console.log(`${text}: @sigstore/core ${bySigstore}, asn1js ${byAsn1js}, node-forge ${byForge}`);
}
SCRIPT
node check.mjs | tee seen.txt
cat > expected.txt <<'END'
05Z: @sigstore/core 05.000, asn1js 05.000, node-forge 05.000
05.999Z: @sigstore/core 05.000, asn1js 05.999, node-forge 05.999
05.5Z: @sigstore/core invalid time, asn1js 05.500, node-forge 05.500
05.123456Z: @sigstore/core invalid time, asn1js 05.123, node-forge 05.123
END
diff expected.txt seen.txt
