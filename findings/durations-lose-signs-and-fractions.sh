#!/bin/sh
# Valid durations of ISO 8601 become others in three packages, and no error is raised:
# 1. iso8601-duration 2.1.4 and date-duration 2.0.0 search the pattern anywhere in the text: `-P1D`, which RFC 5545 and XML
#    Schema allow, is one day forward. The README of the first says that it does not know a sign, not that it passes over it.
#    `P1Y0.5M` is one year for the first: it takes what fits and leaves the rest.
# 2. pomeranian-durations 1.11.4 finds `PT0.5S` and `P0.5D` valid, and addToDate() adds whole units alone, here nothing.
# Expected: the moments that duration-fns 3.0.2 has (it refuses `P0.5D` and `P1Y0.5M`), or an error.
# Seen, each added to 2024-06-10T12:00:00Z:
#   -P1D: iso8601-duration 2024-06-11T12:00:00.000Z, duration-fns 2024-06-09T12:00:00.000Z
#   -P1D: date-duration 2024-06-11T12:00:00.000Z, duration-fns 2024-06-09T12:00:00.000Z
#   P1Y0.5M: iso8601-duration 2025-06-10T12:00:00.000Z, duration-fns an error
#   PT0.5S: pomeranian-durations 2024-06-10T12:00:00.000Z, duration-fns 2024-06-10T12:00:00.500Z
#   P0.5D: pomeranian-durations 2024-06-10T12:00:00.000Z, duration-fns an error
# Exit code 0 while that is so, 1 when it changes. Needs Node.js 20 and npm.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --ignore-scripts --silent --no-audit --no-fund iso8601-duration@2.1.4 date-duration@2.0.0 \
  pomeranian-durations@1.11.4 duration-fns@3.0.2
cat > check.mjs <<'SCRIPT'
import DateDuration from 'date-duration';
import { apply } from 'duration-fns';
import { end, parse } from 'iso8601-duration';
import { addToDate, isValid } from 'pomeranian-durations';

const START = new Date('2024-06-10T12:00:00Z');
const iso = (text) => end(parse(text), START);
const date = (text) => new DateDuration(text).addTo(START);
const pomeranian = (text) => isValid(text) && addToDate(text, START);
const moment = (add, text) => {
  try {
    return new Date(add(text)).toISOString();
  } catch {
    return 'an error';
  }
};
const show = (text, name, add) =>
  console.log(`${text}: ${name} ${moment(add, text)}, duration-fns ${moment((value) => apply(START, value), text)}`);
show('-P1D', 'iso8601-duration', iso);
show('-P1D', 'date-duration', date);
show('P1Y0.5M', 'iso8601-duration', iso);
show('PT0.5S', 'pomeranian-durations', pomeranian);
show('P0.5D', 'pomeranian-durations', pomeranian);
SCRIPT
TZ=UTC node check.mjs | tee seen.txt
cat > expected.txt <<'END'
-P1D: iso8601-duration 2024-06-11T12:00:00.000Z, duration-fns 2024-06-09T12:00:00.000Z
-P1D: date-duration 2024-06-11T12:00:00.000Z, duration-fns 2024-06-09T12:00:00.000Z
P1Y0.5M: iso8601-duration 2025-06-10T12:00:00.000Z, duration-fns an error
PT0.5S: pomeranian-durations 2024-06-10T12:00:00.000Z, duration-fns 2024-06-10T12:00:00.500Z
P0.5D: pomeranian-durations 2024-06-10T12:00:00.000Z, duration-fns an error
END
diff expected.txt seen.txt
