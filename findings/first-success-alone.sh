#!/usr/bin/env bash
# Of an operation that answers 200 or 201 with different bodies, two generators know the first alone:
# 1. openapi-zod-client 1.18.3: its client (zodios 10.9.6) refuses the valid reply 201, because it validates it as a 200.
# 2. swagger-typescript-api 13.13.0: its client has the type of the 200 alone.
# Expected: both, as `Kept | Checked`.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --ignore-scripts --no-audit --no-fund --loglevel=error openapi-zod-client@1.18.3 @zodios/core@10.9.6 \
  axios@1.21.1 zod@3.25.76 swagger-typescript-api@13.13.0 > /dev/null
cat > document.json <<'JSON'
{
  "openapi": "3.1.0",
  "info": { "title": "Replies", "version": "1" },
  "paths": {
    "/notes": {
      "post": {
        "operationId": "keepNote",
        "responses": {
          "200": {
            "description": "Checked alone",
            "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Checked" } } }
          },
          "201": {
            "description": "Kept",
            "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Kept" } } }
          }
        }
      }
    }
  },
  "components": {
    "schemas": {
      "Checked": { "type": "object", "required": ["valid"], "properties": { "valid": { "type": "boolean" } } },
      "Kept": { "type": "object", "required": ["id"], "properties": { "id": { "type": "string" } } }
    }
  }
}
JSON
npx openapi-zod-client document.json --output zodios.ts > log.txt 2>&1 || { cat log.txt; exit 1; }
npx swagger-typescript-api generate --path document.json --output . --name fetched.ts --silent
cat > use.mjs <<'JS'
import { createServer } from 'node:http';
import { readFileSync, writeFileSync } from 'node:fs';
import ts from 'typescript';

const options = { compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 } };
writeFileSync('zodios.mjs', ts.transpileModule(readFileSync('zodios.ts', 'utf8'), options).outputText);
const { createApiClient } = await import('./zodios.mjs');
const server = createServer((_request, response) =>
  response.writeHead(201, { 'content-type': 'application/json' }).end('{"id":"1"}'),
);
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const api = createApiClient(`http://127.0.0.1:${server.address().port}`);
const outcome = await api.keepNote(undefined).then(JSON.stringify, (error) => error.message.split('\n')[0]);
console.log(outcome);
server.closeAllConnections();
server.close();
JS
outcome="$(node use.mjs)"
[[ "$outcome" == *'Invalid response'* ]] || { echo "CHANGED: zodios answers $outcome"; exit 1; }
echo "As described: $outcome"
grep -qF 'this.request<Checked, any>' fetched.ts || { echo 'CHANGED: another type'; grep -n 'this.request<' fetched.ts; exit 1; }
echo 'As described: swagger-typescript-api has this.request<Checked, any>'
