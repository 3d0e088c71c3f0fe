#!/usr/bin/env bash
# @formulajs/formulajs 4.6.1, "most Microsoft Excel formula functions", counts other days than Excel, and raises no error:
# 1. YEARFRAC with basis 4, European 30/360, does not make the 31st of a month the 30th: from 31 January to 29 February 2024
#    are 28 days of 360, and 29 by DAYS360 of the same package with its European method, which has the same definition.
# 2. TBILLPRICE and TBILLYIELD count days of 30/360 where a bill has the days of the calendar: Microsoft's example of a bill
#    from 31 March to 1 June 2008 has 62 days, a price of 98.45 and a yield of 0.0914; here it has 61, 98.475 and 0.0929.
# HyperFormula 3.5.0 has the values of Excel for all of them.
# Exit code 0 while that is so, 1 when it changes. Needs Node.js 20 and npm.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true}' > package.json
npm install --no-save --ignore-scripts --silent --no-audit --no-fund @formulajs/formulajs@4.6.1 hyperformula@3.5.0
cat > check.cjs <<'SCRIPT'
const formulas = require('@formulajs/formulajs');
const { HyperFormula } = require('hyperformula');

const day = (text) => new Date(`${text}T00:00:00`);
const cell = (text) => `DATE(${text.split('-').map(Number).join(',')})`;
const peer = (name, from, to, rest) => {
  const sheet = HyperFormula.buildFromArray([[`=${name}(${cell(from)},${cell(to)},${rest})`]], { licenseKey: 'gpl-v3' });
  return sheet.getCellValue({ sheet: 0, row: 0, col: 0 });
};
console.log(`HyperFormula ${HyperFormula.version}`);
for (const [from, to] of [['2024-01-31', '2024-02-29'], ['2023-12-31', '2024-03-01'], ['2024-01-30', '2024-03-31']]) {
  const days = (formulas.YEARFRAC(day(from), day(to), 4) * 360).toFixed(0);
  const others = `DAYS360 ${formulas.DAYS360(day(from), day(to), true)}`;
  console.log(`${from} to ${to}: YEARFRAC ${days}, ${others}, HyperFormula ${(peer('YEARFRAC', from, to, 4) * 360).toFixed(0)}`);
}
for (const [name, value] of [['TBILLPRICE', 0.09], ['TBILLYIELD', 98.45]]) {
  const own = formulas[name](day('2008-03-31'), day('2008-06-01'), value).toFixed(4);
  console.log(`${name} ${own}, HyperFormula ${peer(name, '2008-03-31', '2008-06-01', value).toFixed(4)}`);
}
SCRIPT
node check.cjs | tee seen.txt
cat > expected.txt <<'TEXT'
HyperFormula 3.5.0
2024-01-31 to 2024-02-29: YEARFRAC 28, DAYS360 29, HyperFormula 29
2023-12-31 to 2024-03-01: YEARFRAC 60, DAYS360 61, HyperFormula 61
2024-01-30 to 2024-03-31: YEARFRAC 61, DAYS360 60, HyperFormula 60
TBILLPRICE 98.4750, HyperFormula 98.4500
TBILLYIELD 0.0929, HyperFormula 0.0914
TEXT
diff expected.txt seen.txt
