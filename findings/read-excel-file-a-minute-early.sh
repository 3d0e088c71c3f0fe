#!/bin/sh
# read-excel-file 9.3.17 reads 122 of the 391 minutes of a session of New York one millisecond early: the bar of 09:31:00 is
# one of 09:30:59.999. A file of xlsx has days as numbers, 09:31 on 10 June 2024 is 45453.396527777775, the nearest double;
# the package multiplies the difference to 1970 by 86,400,000 and cuts off what is behind the point. js-excel-date-convert
# 1.0.2 does so too. Cut to the minute, as bars are, the price belongs to the minute before, and one minute has two prices.
# Expected: the time that Excel shows and that was written, as exceljs 4.4.0 reads it from the same file.
# Seen:
#   read-excel-file: 122 of 391 are early, the first is 2024-06-10T09:30:59.999Z for 2024-06-10T09:31:00.000Z
#   js-excel-date-convert: 122 of 391 are early, the first is 2024-06-10T09:30:59.999Z for 2024-06-10T09:31:00.000Z
#   exceljs: 0 of 391 are early
#   bars of one minute: 269 by read-excel-file, 391 by exceljs
# Exit code 0 while that is so, 1 when it changes. Needs Node.js 20 and npm.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --ignore-scripts --silent --no-audit --no-fund read-excel-file@9.3.17 js-excel-date-convert@1.0.2 exceljs@4.4.0
cat > check.mjs <<'SCRIPT'
import exceljs from 'exceljs';
import { fromExcelDate } from 'js-excel-date-convert';
import { readSheet } from 'read-excel-file/node';

const opening = Date.parse('2024-06-10T09:30:00Z');
const minutes = Array.from({ length: 391 }, (_, at) => new Date(opening + at * 60_000));
const written = new exceljs.Workbook();
const sheet = written.addWorksheet('bars');
const serials = minutes.map((_, at) => 45_453 + (570 + at) / 1440);
for (const serial of serials) sheet.addRow([serial]).getCell(1).numFmt = 'yyyy-mm-dd hh:mm';
await written.xlsx.writeFile('bars.xlsx');

const show = (name, read) => {
  const wrong = minutes.flatMap((minute, at) => (read[at].getTime() === minute.getTime() ? [] : [at]));
  const [first] = wrong;
  const example = first === undefined ? '' :
    `, the first is ${read[first].toISOString()} for ${minutes[first].toISOString()}`;
  console.log(`${name}: ${wrong.length} of ${minutes.length} are early${example}`);
};
const rows = (await readSheet('bars.xlsx')).map(([time]) => time);
const again = new exceljs.Workbook();
await again.xlsx.readFile('bars.xlsx');
const peer = minutes.map((_, at) => again.worksheets[0].getCell(at + 1, 1).value);
show('read-excel-file', rows);
show('js-excel-date-convert', serials.map((serial) => fromExcelDate(serial)));
show('exceljs', peer);
const bars = (times) => new Set(times.map((time) => Math.floor(time.getTime() / 60_000))).size;
console.log(`bars of one minute: ${bars(rows)} by read-excel-file, ${bars(peer)} by exceljs`);
SCRIPT
TZ=UTC node check.mjs | tee seen.txt
cat > expected.txt <<'END'
read-excel-file: 122 of 391 are early, the first is 2024-06-10T09:30:59.999Z for 2024-06-10T09:31:00.000Z
js-excel-date-convert: 122 of 391 are early, the first is 2024-06-10T09:30:59.999Z for 2024-06-10T09:31:00.000Z
exceljs: 0 of 391 are early
bars of one minute: 269 by read-excel-file, 391 by exceljs
END
diff expected.txt seen.txt
