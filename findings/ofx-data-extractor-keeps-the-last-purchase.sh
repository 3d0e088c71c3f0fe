#!/usr/bin/env bash
# ofx-data-extractor 1.5.0 keeps the last of several purchases of OFX, the statement that brokers send: it writes the file as
# JSON and reads that, and of the entries of one kind only those of banks (STMTTRN) become a list. Three BUYSTOCK in one
# INVTRANLIST are three members of one name, of which JSON.parse keeps the last; two positions (POSSTOCK) are one alike. No
# error is raised, and validate() calls the file valid. It also leaves one character out where a text has `{`.
# Expected: three purchases of 35 shares, as OFX 1.6 (chapter 13) has them and as ofx-js 1.1.1 and node-ofx-parser 0.5.1 read
# them from the same file, and the text as it was sent.
# Seen, of purchases of 10, 20 and 5 shares and positions of 35 and 7 shares:
#   ofx-data-extractor: purchases 5, positions 7, valid true, warnings 0, memo "A} sale"
#   ofx-js: purchases 10 20 5, positions 35 7, memo "{A} sale"
#   node-ofx-parser: purchases 10 20 5, positions 35 7, memo "{A} sale"
# Exit code 0 while that is so, 1 when it changes. Needs Node.js 20 and npm.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --no-save --ignore-scripts --silent --no-audit --no-fund ofx-data-extractor@1.5.0 ofx-js@1.1.1 \
  node-ofx-parser@0.5.1
cat > check.mjs <<'SCRIPT'
import nodeOfx from 'node-ofx-parser';
import { Ofx } from 'ofx-data-extractor';
import { parse } from 'ofx-js';

const security = (id) => `<SECID>\n<UNIQUEID>${id}\n<UNIQUEIDTYPE>CUSIP\n</SECID>`;
const purchase = ([id, units, price]) => `<BUYSTOCK>
<INVBUY>
<INVTRAN>
<FITID>${id}
<DTTRADE>20240102
<MEMO>{A} sale
</INVTRAN>
${security('037833100')}
<UNITS>${units}
<UNITPRICE>${price}
<TOTAL>${-units * price}
<SUBACCTSEC>CASH
<SUBACCTFUND>CASH
</INVBUY>
<BUYTYPE>BUY
</BUYSTOCK>`;
const position = ([id, units]) => `<POSSTOCK>
<INVPOS>
${security(id)}
<HELDINACCT>CASH
<POSTYPE>LONG
<UNITS>${units}
<UNITPRICE>185
<MKTVAL>${units * 185}
<DTPRICEASOF>20240131
</INVPOS>
</POSSTOCK>`;
const purchases = [['T1', 10, 185], ['T2', 20, 184], ['T3', 5, 181]].map(purchase).join('\n');
const positions = [['037833100', 35], ['594918104', 7]].map(position).join('\n');
const data = `OFXHEADER:100
DATA:OFXSGML
VERSION:103
SECURITY:NONE
ENCODING:USASCII
CHARSET:1252
COMPRESSION:NONE
OLDFILEUID:NONE
NEWFILEUID:NONE

<OFX>
<SIGNONMSGSRSV1>
<SONRS>
<STATUS>
<CODE>0
<SEVERITY>INFO
</STATUS>
<DTSERVER>20240131120000
<LANGUAGE>ENG
</SONRS>
</SIGNONMSGSRSV1>
<INVSTMTMSGSRSV1>
<INVSTMTTRNRS>
<TRNUID>1
<STATUS>
<CODE>0
<SEVERITY>INFO
</STATUS>
<INVSTMTRS>
<DTASOF>20240131
<CURDEF>USD
<INVACCTFROM>
<BROKERID>example.org
<ACCTID>0012345678
</INVACCTFROM>
<INVTRANLIST>
<DTSTART>20240101
<DTEND>20240131
${purchases}
</INVTRANLIST>
<INVPOSLIST>
${positions}
</INVPOSLIST>
</INVSTMTRS>
</INVSTMTTRNRS>
</INVSTMTMSGSRSV1>
</OFX>
`;
const show = (name, { OFX }, more = '') => {
  const { INVTRANLIST, INVPOSLIST } = OFX.INVSTMTMSGSRSV1.INVSTMTTRNRS.INVSTMTRS;
  const bought = [INVTRANLIST.BUYSTOCK].flat();
  const held = [INVPOSLIST.POSSTOCK].flat().map((each) => each.INVPOS.UNITS);
  const units = bought.map((each) => each.INVBUY.UNITS).join(' ');
  const memo = JSON.stringify(bought.at(-1).INVBUY.INVTRAN.MEMO);
  console.log(`${name}: purchases ${units}, positions ${held.join(' ')}, ${more}memo ${memo}`);
};
const file = new Ofx(data);
const read = file.toJson();
const { isValid } = file.validate();
show('ofx-data-extractor', read, `valid ${isValid}, warnings ${file.getWarnings().length}, `);
show('ofx-js', await parse(data));
show('node-ofx-parser', nodeOfx.parse(data));
SCRIPT
node check.mjs | tee seen.txt
cat > expected.txt <<'END'
ofx-data-extractor: purchases 5, positions 7, valid true, warnings 0, memo "A} sale"
ofx-js: purchases 10 20 5, positions 35 7, memo "{A} sale"
node-ofx-parser: purchases 10 20 5, positions 35 7, memo "{A} sale"
END
diff expected.txt seen.txt
