#!/bin/sh
# cloudevents 10.0.0, the SDK of the standard, changes valid events that it receives, and raises no error:
# 1. Structured mode: data that is 0, false, null or an empty text is left out. A position of 0 is an event without data.
# 2. Binary mode: a number, a text or a boolean of JSON stays the text of the body, and so does every object whose media type
#    is written in another way than the package writes its own: without the space, with UTF-8 in capitals, or with +json.
# 3. A time is cut to milliseconds, and an event without a time, which is optional, gets the time at which it is read.
# Expected: the values of JSON, as the JSON format and the HTTP binding of CloudEvents 1.0.2 have them (RFC 9110, 8.3.1, for
# media types), and the time as it was sent.
# Seen:
#   structured, data 0: undefined
#   structured, data false: undefined
#   structured, data 5: 5
#   structured, sent on: {"id":"1","type":"position","source":"/s","specversion":"1.0","datacontenttype":"application/json"}
#   binary, application/json, 67321.12: string "67321.12"
#   binary, application/json, {"close":1}: object {"close":1}
#   binary, application/json; charset=utf-8, {"close":1}: object {"close":1}
#   binary, application/json;charset=utf-8, {"close":1}: string "{\"close\":1}"
#   binary, application/json; charset=UTF-8, {"close":1}: string "{\"close\":1}"
#   binary, application/problem+json, {"close":1}: string "{\"close\":1}"
#   time 2024-06-10T13:30:00.123456789Z: 2024-06-10T13:30:00.123Z
#   no time: a time
# Exit code 0 while that is so, 1 when it changes. Needs Node.js 20 and npm.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --ignore-scripts --silent --no-audit --no-fund cloudevents@10.0.0
cat > check.mjs <<'SCRIPT'
import { HTTP } from 'cloudevents';

const EVENT = { specversion: '1.0', id: '1', source: '/s', type: 'position' };
const structured = (more) =>
  HTTP.toEvent({
    headers: { 'content-type': 'application/cloudevents+json' },
    body: JSON.stringify({ ...EVENT, datacontenttype: 'application/json', ...more }),
  });
for (const data of [0, false, 5]) {
  console.log(`structured, data ${data}: ${JSON.stringify(structured({ data }).data)}`);
}
const { time: _, ...rest } = JSON.parse(HTTP.structured(structured({ data: 0 })).body);
console.log(`structured, sent on: ${JSON.stringify(rest)}`);
const NAMES = Object.entries(EVENT).map(([name, value]) => [`ce-${name}`, value]);
const OBJECT = '{"close":1}';
for (const [type, body] of [
  ['application/json', '67321.12'],
  ['application/json', OBJECT],
  ['application/json; charset=utf-8', OBJECT],
  ['application/json;charset=utf-8', OBJECT],
  ['application/json; charset=UTF-8', OBJECT],
  ['application/problem+json', OBJECT],
]) {
  const { data } = HTTP.toEvent({ headers: { 'content-type': type, ...Object.fromEntries(NAMES) }, body });
  console.log(`binary, ${type}, ${body}: ${typeof data} ${JSON.stringify(data)}`);
}
const time = '2024-06-10T13:30:00.123456789Z';
console.log(`time ${time}: ${structured({ time, data: 5 }).time}`);
console.log(`no time: ${structured({ data: 5 }).time === undefined ? 'none' : 'a time'}`);
SCRIPT
node check.mjs | tee seen.txt
cat > expected.txt <<'END'
structured, data 0: undefined
structured, data false: undefined
structured, data 5: 5
structured, sent on: {"id":"1","type":"position","source":"/s","specversion":"1.0","datacontenttype":"application/json"}
binary, application/json, 67321.12: string "67321.12"
binary, application/json, {"close":1}: object {"close":1}
binary, application/json; charset=utf-8, {"close":1}: object {"close":1}
binary, application/json;charset=utf-8, {"close":1}: string "{\"close\":1}"
binary, application/json; charset=UTF-8, {"close":1}: string "{\"close\":1}"
binary, application/problem+json, {"close":1}: string "{\"close\":1}"
time 2024-06-10T13:30:00.123456789Z: 2024-06-10T13:30:00.123Z
no time: a time
END
diff expected.txt seen.txt
