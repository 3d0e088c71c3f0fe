#!/bin/sh
# @opentelemetry/exporter-logs-otlp-http 0.301.0 with sdk-logs 3.1.1: the type of an attribute depends on the value of its
# number, and values that OTLP can express get lost or become texts of JSON that OTLP does not have.
#   68000 is an int64 and 68000.5 a double, so that one attribute, price, has two types in one store of logs.
#   1e21 is written as an int64, {"intValue":1e+21}, which no int64 can be. Expected: {"doubleValue":1e+21}.
#   NaN and Infinity become {"doubleValue":null}. Expected: "NaN" and "Infinity", as the JSON of protobuf has them.
#   a bigint within an int64 is left out, and no error is raised. Expected: {"intValue":"12345678901234567"}.
# Exit code 0 while that is so, 1 when it changes. Needs Node.js 20 and npm.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --ignore-scripts --silent --no-audit --no-fund @opentelemetry/exporter-logs-otlp-http@0.301.0 \
  @opentelemetry/sdk-logs@3.1.1
cat > check.mjs <<'SCRIPT'
import { createServer } from 'node:http';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http';
import { LoggerProvider, SimpleLogRecordProcessor } from '@opentelemetry/sdk-logs';

let resolveSent;
const sent = new Promise((resolve) => { resolveSent = resolve; });
const server = createServer((request, response) => {
  let body = '';
  request.on('data', (piece) => { body += piece; });
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    resolveSent(JSON.parse(body));
  });
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const exporter = new OTLPLogExporter({ url: `http://127.0.0.1:${server.address().port}/v1/logs` });
const provider = new LoggerProvider({ processors: [new SimpleLogRecordProcessor({ exporter })] });
provider.getLogger('bars').emit({
  body: 'A bar.',
  attributes: { whole: 68000, half: 68000.5, large: 1e21, gap: NaN, least: Infinity, volume: 12345678901234567n },
});
const { resourceLogs } = await sent;
for (const { key, value } of resourceLogs[0].scopeLogs[0].logRecords[0].attributes) console.log(key, JSON.stringify(value));
server.closeAllConnections();
server.close();
SCRIPT
node check.mjs | tee seen.txt
cat > expected.txt <<'END'
whole {"intValue":68000}
half {"doubleValue":68000.5}
large {"intValue":1e+21}
gap {"doubleValue":null}
least {"doubleValue":null}
END
diff expected.txt seen.txt
