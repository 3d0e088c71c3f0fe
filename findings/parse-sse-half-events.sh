#!/bin/sh
# parse-sse 0.1.0 hands out half of an event. WHATWG's text of server-sent events (9.2.6) discards what is not ended by a blank
# line when a stream ends; the package dispatches it, with its id. A connection that ends within {"close":68001} brings
# {"close":68, and a client that resumes after id 2 never gets the whole one. Half of a number is valid JSON: 68 for 68001.
# It also ends an event where a piece of the stream ends between CR and LF: two lines of data become two events.
# Expected: one event in both, as eventsource-parser 4.1.3 has them.
# Seen:
#   parse-sse, cut: 1 "67999", 2 "68"
#   parse-sse, CR and LF in two pieces:  "a",  "b"
#   eventsource-parser, cut: 1 "67999"
#   eventsource-parser, CR and LF in two pieces:  "a\nb"
# Exit code 0 while that is so, 1 when it changes. Needs Node.js 20 and npm.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --ignore-scripts --silent --no-audit --no-fund parse-sse@0.1.0 eventsource-parser@4.1.3
cat > check.mjs <<'SCRIPT'
import { createParser } from 'eventsource-parser';
import { parseServerSentEvents } from 'parse-sse';

const streams = {
  cut: ['id: 1\ndata: 67999\n\nid: 2\ndata: 68'],
  'CR and LF in two pieces': ['data: a\r', '\ndata: b\r\n\r\n'],
};
async function ofParseSse(pieces) {
  const body = ReadableStream.from(pieces.map((piece) => new TextEncoder().encode(piece)));
  const events = [];
  for await (const event of parseServerSentEvents(new Response(body, { headers: { 'content-type': 'text/event-stream' } })))
    events.push([event.lastEventId, event.data]);
  return events;
}
function ofEventsourceParser(pieces) {
  const events = [];
  const parser = createParser({ onEvent: ({ id = '', data }) => events.push([id, data]) });
  for (const piece of pieces) parser.feed(piece);
  return events;
}
for (const [name, read] of [['parse-sse', ofParseSse], ['eventsource-parser', ofEventsourceParser]]) {
  for (const [stream, pieces] of Object.entries(streams)) {
    const events = await read(pieces);
    console.log(`${name}, ${stream}: ${events.map(([id, data]) => `${id} ${JSON.stringify(data)}`).join(', ')}`);
  }
}
SCRIPT
node check.mjs | tee seen.txt
cat > expected.txt <<'END'
parse-sse, cut: 1 "67999", 2 "68"
parse-sse, CR and LF in two pieces:  "a",  "b"
eventsource-parser, cut: 1 "67999"
eventsource-parser, CR and LF in two pieces:  "a\nb"
END
diff expected.txt seen.txt
