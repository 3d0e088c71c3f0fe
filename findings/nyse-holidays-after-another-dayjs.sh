#!/bin/sh
# nyse-holidays 1.2.0 forgets every holiday but Christmas once business-days-js 2.3.0 is imported in the same process.
# Both use one copy of dayjs 1.11.23. business-days-js extends it with customParseFormat, which holds for every user of that
# copy. nyse-holidays parses texts such as `2024-7-4` as `YYYY-MM-DD`: the plain dayjs ignores the format, the extended one
# calls the text an invalid date. No error follows: 4 July 2024 is a trading day, and the list has "Invalid Date".
# Expected: true for 4 July 2024, whatever else is imported, as it is without business-days-js.
# Seen:
#   alone: 2024-07-04 is a holiday: true, invalid dates: 0 of 10
#   after business-days-js: 2024-07-04 is a holiday: false, invalid dates: 9 of 10
# What helps: a copy of dayjs of its own for each (overrides, or a bundle).
# Exit code 0 while that is so, 1 when it changes. Needs Node.js 20 and npm.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --ignore-scripts --silent --no-audit --no-fund nyse-holidays@1.2.0 business-days-js@2.3.0 dayjs@1.11.23
cat > check.mjs <<'SCRIPT'
const [title, ...before] = process.argv.slice(2);
for (const name of before) await import(name);
const { getHolidays, isHoliday } = await import('nyse-holidays');
const dates = getHolidays(2024).map(({ dateString }) => dateString);
const invalid = dates.filter((date) => date === 'Invalid Date').length;
const holiday = isHoliday(new Date('2024-07-04T15:00:00Z'));
console.log(`${title}: 2024-07-04 is a holiday: ${holiday}, invalid dates: ${invalid} of ${dates.length}`);
SCRIPT
{
  node check.mjs alone
  node check.mjs 'after business-days-js' business-days-js
} | tee seen.txt
cat > expected.txt <<'END'
alone: 2024-07-04 is a holiday: true, invalid dates: 0 of 10
after business-days-js: 2024-07-04 is a holiday: false, invalid dates: 9 of 10
END
diff expected.txt seen.txt
