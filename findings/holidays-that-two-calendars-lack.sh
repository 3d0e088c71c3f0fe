#!/bin/sh
# Two calendars lack holidays that the rules name, and answer as for a working day:
# 1. date-fns-holiday-us 1.1.0: isBankHoliday() and isFederalHoliday() compare moments: 4 July is a holiday at midnight
#    alone, and not at 10:00; its README does not say so. isFederalHoliday() never knows Washington's Birthday, the third
#    Monday of February, which 5 U.S.C. 6103(a) names and isBankHoliday() knows.
# 2. @quantlib/ql 0.3.6: its calendar of the NYSE has no Juneteenth, on which the exchange is closed since 2022, and that of
#    the London Stock Exchange has neither 8 May 2020, to which the holiday of 4 May was moved, nor 3 June and
#    19 September 2022.
# Expected: holidays, as @18f/us-federal-holidays 4.0.0 and the notices of the exchanges have them.
# Seen:
#   2024-07-04T00:00: bank true, federal true, @18f/us-federal-holidays true
#   2024-07-04T10:00: bank false, federal false, @18f/us-federal-holidays true
#   2024-02-19T00:00: bank true, federal false, @18f/us-federal-holidays true
#   open at the NYSE by @quantlib/ql: 2022-06-20 2023-06-19 2024-06-19
#   open in London by @quantlib/ql: 2020-05-08 2022-06-03 2022-09-19
# Exit code 0 while that is so, 1 when it changes. Needs Node.js 20 and npm.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --ignore-scripts --silent --no-audit --no-fund date-fns-holiday-us@1.1.0 @18f/us-federal-holidays@4.0.0 \
  @quantlib/ql@0.3.6 date-fns@4.4.0
cat > check.mjs <<'SCRIPT'
import federal from '@18f/us-federal-holidays';
import { UnitedKingdom, UnitedStates } from '@quantlib/ql';
import { isBankHoliday, isFederalHoliday } from 'date-fns-holiday-us';

for (const text of ['2024-07-04T00:00', '2024-07-04T10:00', '2024-02-19T00:00']) {
  const local = new Date(text);
  const [bank, ours, peer] = [isBankHoliday(local), isFederalHoliday(local), federal.isAHoliday(local, { utc: false })];
  console.log(`${text}: bank ${bank}, federal ${ours}, @18f/us-federal-holidays ${peer}`);
}
const open = (calendar, ...dates) => dates.filter((text) => calendar.isBusinessDay(new Date(`${text}T00:00:00`))).join(' ');
const newYork = new UnitedStates(UnitedStates.Market.NYSE);
const london = new UnitedKingdom(UnitedKingdom.Market.Exchange);
console.log(`open at the NYSE by @quantlib/ql: ${open(newYork, '2022-06-20', '2023-06-19', '2024-06-19', '2024-07-04')}`);
console.log(`open in London by @quantlib/ql: ${open(london, '2020-05-08', '2022-06-03', '2022-09-19', '2022-12-27')}`);
SCRIPT
TZ=America/New_York node check.mjs | tee seen.txt
cat > expected.txt <<'END'
2024-07-04T00:00: bank true, federal true, @18f/us-federal-holidays true
2024-07-04T10:00: bank false, federal false, @18f/us-federal-holidays true
2024-02-19T00:00: bank true, federal false, @18f/us-federal-holidays true
open at the NYSE by @quantlib/ql: 2022-06-20 2023-06-19 2024-06-19
open in London by @quantlib/ql: 2020-05-08 2022-06-03 2022-09-19
END
diff expected.txt seen.txt
