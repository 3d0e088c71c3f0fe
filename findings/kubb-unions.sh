#!/usr/bin/env bash
# @kubb/plugin-zod 4.39.3, of OpenAPI 3.1:
# 1. `anyOf` of a text with a `pattern` and a reference becomes `z.union([other])`: the text is left out, so that the
#    schema refuses valid texts. Expected: both. Without `pattern`, or with a reference to a named text, both are there.
# 2. `default: null` next to `anyOf` of a reference and null becomes `.default({})`, which does not compile where the
#    schema has required members. Expected: `.default(null)`.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
kubb=4.39.3
npm install --ignore-scripts --no-audit --no-fund --loglevel=error @kubb/cli@$kubb @kubb/core@$kubb \
  @kubb/plugin-oas@$kubb @kubb/plugin-ts@$kubb @kubb/plugin-zod@$kubb typescript@5.9.3 zod@4.6.7 > /dev/null
cat > document.json <<'JSON'
{
  "openapi": "3.1.0",
  "info": { "title": "Unions", "version": "1" },
  "paths": {},
  "components": {
    "schemas": {
      "Point": { "type": "object", "required": ["x"], "properties": { "x": { "type": "number" } } },
      "Named": { "type": "string", "pattern": "\\S" },
      "Inline": { "anyOf": [{ "type": "string", "pattern": "\\S" }, { "$ref": "#/components/schemas/Point" }] },
      "Referred": { "anyOf": [{ "$ref": "#/components/schemas/Named" }, { "$ref": "#/components/schemas/Point" }] },
      "Filled": {
        "type": "object",
        "properties": { "at": { "anyOf": [{ "$ref": "#/components/schemas/Point" }, { "type": "null" }], "default": null } }
      }
    }
  }
}
JSON
cat > kubb.config.mjs <<'JS'
import { defineConfig } from '@kubb/core';
import { pluginOas } from '@kubb/plugin-oas';
import { pluginTs } from '@kubb/plugin-ts';
import { pluginZod } from '@kubb/plugin-zod';
export default defineConfig({
  root: '.',
  input: { path: './document.json' },
  output: { path: './generated', format: false, lint: false },
  plugins: [pluginOas(), pluginTs(), pluginZod({ version: '4' })],
});
JS
npx kubb generate --config kubb.config.mjs > log.txt 2>&1 || { cat log.txt; exit 1; }

# shows FILE TEXT: the generated file contains it.
shows() {
  tr -d ' \n' < "generated/zod/$1" | grep -qF "$2" || { echo "CHANGED: $1 does not contain $2"; cat "generated/zod/$1"; exit 1; }
  echo "As described: $1 contains $2"
}

shows inlineSchema.ts 'z.union([z.lazy(()=>pointSchema)])'
shows referredSchema.ts 'z.union([z.lazy(()=>namedSchema),z.lazy(()=>pointSchema)])'
shows filledSchema.ts '.default({})'
npx tsc --noEmit --strict --skipLibCheck --allowImportingTsExtensions --module esnext --moduleResolution bundler \
  generated/zod/filledSchema.ts > tsc.txt && { echo 'CHANGED: it compiles'; exit 1; }
grep -q "Argument of type '{}'" tsc.txt || { echo 'CHANGED: another error'; cat tsc.txt; exit 1; }
head -n 1 tsc.txt
