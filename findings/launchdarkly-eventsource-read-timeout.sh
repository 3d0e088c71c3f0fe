#!/bin/sh
# launchdarkly-eventsource 2.2.0 without options, on Node 20 and later, drops a stream of events that is silent for 5 s.
#
# Its README says that a read timeout is set by `readTimeoutMillis`, and names no default. Without it the package listens
# for the `timeout` of its request all the same. The default agent of Node 20 and later gives every socket a timeout of
# 5 s (http.globalAgent.options.timeout), so that event comes: the package ends the connection with the message "Read timeout,
# received no data in undefinedms, assuming connection is dead", and connects again. A valid stream whose server sends a
# comment every 15 s, as the WHATWG text of server-sent events advises, is opened anew every 5 s.
#
# Seen on Node 20.20.2 and 24.21.0, in 12 s, on loopback:
#
#   no options, a comment every 15 s: 3 connections, "Read timeout, received no data in undefinedms, ..."
#   no options, a comment every 4 s: 1 connection
#   readTimeoutMillis 60000, a comment every 15 s: 1 connection
#
# What helps: a client sets `readTimeoutMillis`; a server sends a comment more often than every 5 s.
#
# The script installs the package into a temporary folder and runs it against a server of Node's own. It ends with 0 while
# the behaviour is as described, and with 1 once it has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > npm.log
npm install --no-audit --no-fund --ignore-scripts launchdarkly-eventsource@2.2.0 >> npm.log 2>&1 || { cat npm.log; exit 1; }
cat > streams.mjs <<'JS'
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import eventsource from 'launchdarkly-eventsource';

const NOTICE = 'Read timeout, received no data in undefinedms, assuming connection is dead';

/** How often the client connects in 12 s to a stream with a comment every so many milliseconds. */
async function connections(pause, options) {
  let count = 0;
  const server = createServer((_request, response) => {
    count += 1;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('retry: 100\n\n');
    const comments = setInterval(() => response.write(': here\n\n'), pause);
    response.on('close', () => clearInterval(comments));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const source = new eventsource.EventSource(`http://127.0.0.1:${server.address().port}/`, options);
  const messages = new Set();
  source.onerror = ({ message }) => messages.add(message);
  await sleep(12_000);
  source.close();
  server.closeAllConnections();
  server.close();
  return { count, messages: [...messages] };
}

const [silent, lively, patient] = await Promise.all([
  connections(15_000),
  connections(4_000),
  connections(15_000, { readTimeoutMillis: 60_000 }),
]);
const report = (name, { count, messages }) => console.log(`${name}: ${count} connections ${messages.join(' / ')}`);
console.log(`launchdarkly-eventsource 2.2.0, Node ${process.version}`);
report('no options, a comment every 15 s', silent);
report('no options, a comment every 4 s', lively);
report('readTimeoutMillis 60000, a comment every 15 s', patient);
const isAsDescribed =
  silent.count > 1 && silent.messages.join() === NOTICE && lively.count === 1 && patient.count === 1;
console.log(isAsDescribed ? 'As described.' : 'CHANGED: the behaviour is not as described.');
process.exit(isAsDescribed ? 0 : 1);
JS
node streams.mjs
