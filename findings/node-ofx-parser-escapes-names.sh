#!/bin/sh
# node-ofx-parser 0.5.1 returns the escapes of OFX instead of the characters, each one escaped twice again: the name AT&T,
# which a broker's file has as `AT&amp;T`, is `AT&amp;amp;amp;T`. OFX 1.6 (2.3.2) has &amp;, &lt; and &gt; for the three
# characters. Nothing is raised; a name or memo is only not found any more, or is stored as it came.
# Expected: AT&T, as ofx-js 1.1.1 reads it from the same text.
# Seen:
#   node-ofx-parser: "AT&amp;amp;amp;T INC", "P&amp;amp;amp;L &amp;amp;lt; 0"
#   ofx-js: "AT&T INC", "P&L < 0"
# Exit code 0 while that is so, 1 when it changes. Needs Node.js 20 and npm.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --ignore-scripts --silent --no-audit --no-fund node-ofx-parser@0.5.1 ofx-js@1.1.1
cat > check.mjs <<'SCRIPT'
import parser from 'node-ofx-parser';
import { parse } from 'ofx-js';

const FILE = [
  'OFXHEADER:100',
  'DATA:OFXSGML',
  'VERSION:102',
  '',
  '<OFX><STMTTRN><TRNTYPE>DIV<NAME>AT&amp;T INC<MEMO>P&amp;L &lt; 0</STMTTRN></OFX>',
].join('\n');
const show = (name, { OFX: { STMTTRN } }) =>
  console.log(`${name}: ${JSON.stringify(STMTTRN.NAME)}, ${JSON.stringify(STMTTRN.MEMO)}`);
show('node-ofx-parser', parser.parse(FILE));
show('ofx-js', await parse(FILE));
SCRIPT
node check.mjs | tee seen.txt
cat > expected.txt <<'END'
node-ofx-parser: "AT&amp;amp;amp;T INC", "P&amp;amp;amp;L &amp;amp;lt; 0"
ofx-js: "AT&T INC", "P&L < 0"
END
diff expected.txt seen.txt
