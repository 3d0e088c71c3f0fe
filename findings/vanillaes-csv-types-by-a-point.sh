#!/bin/sh
# @vanillaes/csv 3.0.8 with `typed: true` takes every cell with a point behind another character for a number, and reads every
# other number as an integer. So a class of shares becomes NaN, a small price in the notation of pandas becomes 1, and an
# empty cell, as in a day without trades, becomes NaN. No error is raised.
# Expected: "BRK.B", 0.00001, 0.5 and an empty text or null.
# Seen:
#   BRK.B is NaN
#   1e-05 is 1
#   .5 is NaN
#   (empty) is NaN
#   0.00001 is 0.00001
# Exit code 0 while that is so, 1 when it changes. Needs Node.js 20 and npm.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --ignore-scripts --silent --no-audit --no-fund @vanillaes/csv@3.0.8
cat > check.mjs <<'SCRIPT'
import { parse } from '@vanillaes/csv';

const cells = ['BRK.B', '1e-05', '.5', '', '0.00001'];
const rows = parse(cells.map((cell) => `${cell},1\n`).join(''), { typed: true });
rows.forEach(([cell], at) => console.log(cells[at] || '(empty)', 'is', cell));
SCRIPT
node check.mjs | tee seen.txt
cat > expected.txt <<'END'
BRK.B is NaN
1e-05 is 1
.5 is NaN
(empty) is NaN
0.00001 is 0.00001
END
diff expected.txt seen.txt
