#!/usr/bin/env bash
# @hey-api/openapi-ts 0.99.0 with its zod plugin writes U+2028 and U+2029 of a `pattern` as they are into a regular
# expression literal. They end lines in JavaScript, so that the file does not compile (TS1161).
# Expected: the escape `\u2028`, as the document has it.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --ignore-scripts --no-audit --no-fund --loglevel=error \
  @hey-api/openapi-ts@0.99.0 typescript@5.9.3 zod@4.6.7 > /dev/null
cat > document.json <<'JSON'
{
  "openapi": "3.1.0",
  "info": { "title": "Lines", "version": "1" },
  "paths": {
    "/lines": {
      "post": {
        "requestBody": { "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Line" } } } },
        "responses": { "204": { "description": "Stored" } }
      }
    }
  },
  "components": { "schemas": { "Line": { "type": "string", "pattern": "^[^\\u2028]*$" } } }
}
JSON
npx openapi-ts --input document.json --output generated --plugins @hey-api/typescript zod > log.txt 2>&1 || {
  cat log.txt
  exit 1
}
bytes="$(od -An -tx1 generated/zod.gen.ts | tr -d ' \n')"
[[ "$bytes" == *e280a8* ]] || { echo 'CHANGED: the file has no raw U+2028'; grep Line generated/zod.gen.ts; exit 1; }
npx tsc --noEmit --strict --skipLibCheck --module nodenext --target es2022 generated/zod.gen.ts > tsc.txt && {
  echo 'CHANGED: the file compiles'
  exit 1
}
grep -q 'TS1161' tsc.txt || { echo 'CHANGED: another error'; cat tsc.txt; exit 1; }
echo 'As described: a raw U+2028 in a regular expression literal, and'
head -n 1 tsc.txt
