#!/usr/bin/env bash
# qif2json 0.4.0 reads other facts from a file of QIF, the format of Quicken that banks and brokers export, and raises no error:
# 1. It removes the first comma of an amount alone, and none of a split: -1,234,567.89 is -1234, and its split -1,000.00 is -1.
#    Quicken writes these commas, and the README says nothing of them.
# 2. A blank line ends the file, so that every entry behind it is lost.
# 3. A month above 12 is counted on into the next years: 12/31/2024, as Quicken writes it in the United States, is 12 July 2026
#    by the order that the package has by default (its README names an option for the other). No error tells the wrong order.
# Expected: the amounts as they are written, all entries, and a refusal of a month of 31.
# Exit code 0 while that is so, 1 when it changes. Needs Node.js 20 and npm.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true}' > package.json
npm install --no-save --ignore-scripts --silent --no-audit --no-fund qif2json@0.4.0
cat > check.cjs <<'SCRIPT'
const { version } = require('qif2json/package.json');
const { parse } = require('qif2json');

const read = (lines, options) => parse(`!Type:Bank\n${lines.join('\n')}\n`, options).transactions;
const [sale] = read(['D31/12/2024', 'T-1,234,567.89', 'SFees', '$-1,000.00', 'SShares', '$-1,233,567.89', '^']);
console.log(`qif2json ${version}: -1,234,567.89 is ${sale.amount}, its splits ${sale.division.map((part) => part.amount)}`);
const entries = ['D30/12/2024', 'T-1', '^', '', 'D31/12/2024', 'T5', '^'];
console.log(`two entries and a blank line between them: ${read(entries).length}; without it: ${read(entries.filter(Boolean)).length}`);
const days = ['D12/31/2024', 'T1', '^'];
console.log(`12/31/2024 is ${read(days)[0].date}; as "us" ${read(days, { dateFormat: 'us' })[0].date}`);
SCRIPT
node check.cjs | tee seen.txt
cat > expected.txt <<'TEXT'
qif2json 0.4.0: -1,234,567.89 is -1234, its splits -1,-1
two entries and a blank line between them: 1; without it: 2
12/31/2024 is 2026-07-12T00:00:00; as "us" 2024-12-31T00:00:00
TEXT
diff expected.txt seen.txt
