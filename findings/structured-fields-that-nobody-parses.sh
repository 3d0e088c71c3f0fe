#!/bin/sh
# Three packages for structured fields of HTTP (RFC 9651) write fields that the RFC, and the packages themselves, refuse, so
# that the receiver must ignore the whole field, with every other member of it. No error is raised where they are written:
# 1. structured-headers 2.1.0 writes `0.` for a number below 0.0005, such as 0.0001; a Decimal ends with a digit (3.3.2).
#    And it refuses a valid Date (3.3.7) that a comma or a parameter follows, as in the dictionary that it wrote itself.
# 2. @svta/cml-structured-field-values 1.1.6 and structured-field-values 2.0.4 write the milliseconds of a Date behind a
#    point. The number of a Date is an Integer of seconds.
# Expected: `0.0`, as the second and the third write it, and `@1717977600`, as the first writes it and they read it.
# Seen, written and then read again by the same package:
#   structured-headers: edge=0., limit=40: Parse error: Decimal cannot end on a period at offset 7
#   structured-headers: at=@1717977600, limit=40: Parse error: Expected a digit (0-9), whitespace or EOL at offset 15
#   @svta/cml-structured-field-values: edge=0.0, limit=40: 2 members
#   @svta/cml-structured-field-values: at=@1717977600.999, limit=40: failed to parse "at=@1717977600.999, limit=40" as Dict
#   structured-field-values: edge=0.0, limit=40: 2 members
#   structured-field-values: at=@1717977600.999, limit=40: failed to parse "at=@1717977600.999, limit=40" as Dict
#   at=@1717977600, limit=40 by @svta/cml-structured-field-values: 2 members
# Exit code 0 while that is so, 1 when it changes. Needs Node.js 20 and npm.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --ignore-scripts --silent --no-audit --no-fund structured-headers@2.1.0 \
  @svta/cml-structured-field-values@1.1.6 structured-field-values@2.0.4
cat > check.mjs <<'SCRIPT'
import * as cml from '@svta/cml-structured-field-values';
import * as values from 'structured-field-values';
import * as headers from 'structured-headers';

const FIELDS = [{ edge: 0.0001, limit: 40 }, { at: new Date('2024-06-10T00:00:00.999Z'), limit: 40 }];
const members = (read) => (read instanceof Map ? read.size : Object.keys(read).length);
const show = (name, write, parse) => {
  for (const field of FIELDS) {
    const text = write(field);
    let read;
    try {
      read = `${members(parse(text))} members`;
    } catch (error) {
      read = error.message;
    }
    console.log(`${name}: ${text}: ${read}`);
  }
};
show('structured-headers', headers.serializeDictionary, headers.parseDictionary);
show('@svta/cml-structured-field-values', cml.encodeSfDict, cml.decodeSfDict);
show('structured-field-values', values.encodeDict, values.decodeDict);
const whole = 'at=@1717977600, limit=40';
console.log(`${whole} by @svta/cml-structured-field-values: ${members(cml.decodeSfDict(whole))} members`);
SCRIPT
node check.mjs | tee seen.txt
cat > expected.txt <<'END'
structured-headers: edge=0., limit=40: Parse error: Decimal cannot end on a period at offset 7
structured-headers: at=@1717977600, limit=40: Parse error: Expected a digit (0-9), whitespace or EOL at offset 15
@svta/cml-structured-field-values: edge=0.0, limit=40: 2 members
@svta/cml-structured-field-values: at=@1717977600.999, limit=40: failed to parse "at=@1717977600.999, limit=40" as Dict
structured-field-values: edge=0.0, limit=40: 2 members
structured-field-values: at=@1717977600.999, limit=40: failed to parse "at=@1717977600.999, limit=40" as Dict
at=@1717977600, limit=40 by @svta/cml-structured-field-values: 2 members
END
diff expected.txt seen.txt
