#!/bin/sh
# spacetime 7.15.0 changes the clocks of New York on the dates of one year in every year: it stores 8 March and 1 November, the
# Sundays of 2026, as dates instead of "second Sunday" and "first Sunday". Its README says that the latest information is
# applied to former years; the rule has been one since 2007, and trading days of 2022, 2023 and 2024 are an hour off.
# Expected: 14:30 Z on 8 March 2024 and 20:00 Z on 1 November 2024, as the IANA time zone database and Intl have them.
# Seen, sessions of New York and their moments:
#   2024-03-08T09:30 is 2024-03-08T13:30:00.000Z, Intl reads that as 2024-03-08 08:30
#   2024-11-01T16:00 is 2024-11-01T21:00:00.000Z, Intl reads that as 2024-11-01 17:00
#   2022-11-02T09:30 is 2022-11-02T14:30:00.000Z, Intl reads that as 2022-11-02 10:30
#   2023-03-09T09:30 is 2023-03-09T13:30:00.000Z, Intl reads that as 2023-03-09 08:30
#   2024-06-10T09:30 is 2024-06-10T13:30:00.000Z, Intl reads that as 2024-06-10 09:30
# Exit code 0 while that is so, 1 when it changes. Needs Node.js 20 and npm.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --ignore-scripts --silent --no-audit --no-fund spacetime@7.15.0
cat > check.mjs <<'SCRIPT'
import spacetime from 'spacetime';

const timeZone = 'America/New_York';
for (const local of ['2024-03-08T09:30', '2024-11-01T16:00', '2022-11-02T09:30', '2023-03-09T09:30', '2024-06-10T09:30']) {
  const moment = new Date(spacetime(local, timeZone).epoch);
  const read = moment.toLocaleString('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  console.log(`${local} is ${moment.toISOString()}, Intl reads that as ${read}`);
}
SCRIPT
node check.mjs | tee seen.txt
cat > expected.txt <<'END'
2024-03-08T09:30 is 2024-03-08T13:30:00.000Z, Intl reads that as 2024-03-08 08:30
2024-11-01T16:00 is 2024-11-01T21:00:00.000Z, Intl reads that as 2024-11-01 17:00
2022-11-02T09:30 is 2022-11-02T14:30:00.000Z, Intl reads that as 2022-11-02 10:30
2023-03-09T09:30 is 2023-03-09T13:30:00.000Z, Intl reads that as 2023-03-09 08:30
2024-06-10T09:30 is 2024-06-10T13:30:00.000Z, Intl reads that as 2024-06-10 09:30
END
diff expected.txt seen.txt
