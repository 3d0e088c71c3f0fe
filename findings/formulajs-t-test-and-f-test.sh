#!/bin/sh
# @formulajs/formulajs 4.6.1, "most Microsoft Excel formula functions", has other p-values than Excel, and raises no error:
# 1. T.TEST takes `tails` and `type` and uses neither: every test is two-sided and of two independent samples. A paired
#    one-sided test, such as that of one trader with and without a rule, has 0.19 where Excel has 0.098. With samples of
#    different sizes it is neither of Excel's types: it joins the error of type 3 to the degrees of freedom of type 2.
# 2. F.TEST returns the ratio of the variances instead of the probability.
# 3. NETWORKDAYS.INTL counts the weekend days too when the end is before the start.
# Expected: the results of Microsoft's pages of these functions, as HyperFormula 3.5.0 has them too.
# Seen, the number of Microsoft's example in brackets:
#   T.TEST paired, one tail (0.098008): formulajs 0.191996, HyperFormula 0.098008
#   T.TEST paired, two tails (0.196016): formulajs 0.191996, HyperFormula 0.196016
#   T.TEST unequal variances (0.202294): formulajs 0.191996, HyperFormula 0.202294
#   F.TEST (0.648318): formulajs 0.614198, HyperFormula 0.648318
#   NETWORKDAYS.INTL back (-21): formulajs -27, HyperFormula -21
# Exit code 0 while that is so, 1 when it changes. Needs Node.js 20 and npm.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --ignore-scripts --silent --no-audit --no-fund @formulajs/formulajs@4.6.1 hyperformula@3.5.0
cat > check.mjs <<'SCRIPT'
import * as formulajs from '@formulajs/formulajs';
import { HyperFormula } from 'hyperformula';

const FIRST = [3, 4, 5, 8, 9, 1, 2, 4, 5];
const SECOND = [6, 19, 3, 2, 14, 4, 5, 17, 1];
const [LEFT, RIGHT] = [[6, 7, 9, 15, 21], [20, 28, 31, 38, 40]];
const [FROM, TO] = [new Date(2006, 1, 28), new Date(2006, 0, 31)];
const sheet = HyperFormula.buildFromArray([FIRST, SECOND, LEFT, RIGHT], { licenseKey: 'gpl-v3' });
const peer = (formula) => sheet.calculateFormula(formula, 0);
const CASES = [
  ['T.TEST paired, one tail (0.098008)', ({ T }) => T.TEST(FIRST, SECOND, 1, 1), '=T.TEST(A1:I1,A2:I2,1,1)'],
  ['T.TEST paired, two tails (0.196016)', ({ T }) => T.TEST(FIRST, SECOND, 2, 1), '=T.TEST(A1:I1,A2:I2,2,1)'],
  ['T.TEST unequal variances (0.202294)', ({ T }) => T.TEST(FIRST, SECOND, 2, 3), '=T.TEST(A1:I1,A2:I2,2,3)'],
  ['F.TEST (0.648318)', ({ F }) => F.TEST(LEFT, RIGHT), '=F.TEST(A3:E3,A4:E4)'],
  [
    'NETWORKDAYS.INTL back (-21)',
    ({ NETWORKDAYS }) => NETWORKDAYS.INTL(FROM, TO),
    '=NETWORKDAYS.INTL(DATE(2006,2,28),DATE(2006,1,31))',
  ],
];
const text = (number) => (Number.isInteger(number) ? String(number) : Number(number).toFixed(6));
for (const [title, run, formula] of CASES) {
  const values = [run(formulajs), peer(formula)].map(text);
  console.log(`${title}: formulajs ${values[0]}, HyperFormula ${values[1]}`);
}
SCRIPT
node check.mjs | tee seen.txt
cat > expected.txt <<'END'
T.TEST paired, one tail (0.098008): formulajs 0.191996, HyperFormula 0.098008
T.TEST paired, two tails (0.196016): formulajs 0.191996, HyperFormula 0.196016
T.TEST unequal variances (0.202294): formulajs 0.191996, HyperFormula 0.202294
F.TEST (0.648318): formulajs 0.614198, HyperFormula 0.648318
NETWORKDAYS.INTL back (-21): formulajs -27, HyperFormula -21
END
diff expected.txt seen.txt
