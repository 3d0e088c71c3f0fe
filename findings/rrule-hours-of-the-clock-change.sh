#!/bin/sh
# Hourly rules of RFC 5545 in the time zone of New York, as for sampling a market that never closes, on the days on which the
# clocks change:
# 1. rrule-rust 3.1.1 has one moment twice on 10 March 2024: the local time 02:00 does not exist. RFC 5545 (3.3.10) has it
#    ignored and not counted; the package moves it to 03:00 and lists 03:00 again, so that COUNT=4 ends an hour early.
# 2. rrule-temporal 2.2.8 leaves one hour out on 3 November 2024 for FREQ=HOURLY, and has it for FREQ=MINUTELY;INTERVAL=60
#    and FREQ=SECONDLY;INTERVAL=3600, which are the same rule.
# Expected: four different moments in March, and one answer for the three spellings. No README speaks of the second 01:00.
# Seen, hours of UTC of the first four from midnight in New York:
#   2024-03-10 HOURLY: rrule-rust 05 06 07 07, rrule-temporal 05 06 07 08
#   2024-03-10 MINUTELY;INTERVAL=60: rrule-rust 05 06 07 07, rrule-temporal 05 06 07 08
#   2024-11-03 HOURLY: rrule-rust 04 05 07 08, rrule-temporal 04 05 07 08
#   2024-11-03 MINUTELY;INTERVAL=60: rrule-rust 04 05 07 08, rrule-temporal 04 05 06 07
#   2024-11-03 SECONDLY;INTERVAL=3600: rrule-rust 04 05 07 08, rrule-temporal 04 05 06 07
# Exit code 0 while that is so, 1 when it changes. Needs Linux on x64, Node.js 20 and npm.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --ignore-scripts --silent --no-audit --no-fund rrule-rust@3.1.1 rrule-temporal@2.2.8
cat > check.mjs <<'SCRIPT'
import rust from 'rrule-rust';
import { RRuleTemporal } from 'rrule-temporal';

const hour = (milliseconds) => new Date(milliseconds).toISOString().slice(11, 13);
const byRust = (text) => rust.RRuleSet.fromString(text).all().map((moment) => hour(moment.toTimestamp()));
const byTemporal = (text) =>
  new RRuleTemporal({ rruleString: text }).all().map((moment) => hour(moment.epochMilliseconds));
const CASES = [
  ['2024-03-10', 'HOURLY'],
  ['2024-03-10', 'MINUTELY;INTERVAL=60'],
  ['2024-11-03', 'HOURLY'],
  ['2024-11-03', 'MINUTELY;INTERVAL=60'],
  ['2024-11-03', 'SECONDLY;INTERVAL=3600'],
];
for (const [day, rule] of CASES) {
  const start = `DTSTART;TZID=America/New_York:${day.replaceAll('-', '')}T000000`;
  const text = `${start}\nRRULE:FREQ=${rule};COUNT=4`;
  const [first, second] = [byRust(text), byTemporal(text)].map((hours) => hours.join(' '));
  console.log(`${day} ${rule}: rrule-rust ${first}, rrule-temporal ${second}`);
}
SCRIPT
node check.mjs | tee seen.txt
cat > expected.txt <<'END'
2024-03-10 HOURLY: rrule-rust 05 06 07 07, rrule-temporal 05 06 07 08
2024-03-10 MINUTELY;INTERVAL=60: rrule-rust 05 06 07 07, rrule-temporal 05 06 07 08
2024-11-03 HOURLY: rrule-rust 04 05 07 08, rrule-temporal 04 05 07 08
2024-11-03 MINUTELY;INTERVAL=60: rrule-rust 04 05 07 08, rrule-temporal 04 05 06 07
2024-11-03 SECONDLY;INTERVAL=3600: rrule-rust 04 05 07 08, rrule-temporal 04 05 06 07
END
diff expected.txt seen.txt
