#!/bin/sh
# zod 4.6.7: z.fromJSONSchema() leaves keywords out where one stands without the one that it expects, and raises no error,
# while it raises one for keywords that it does not know (if, not, dependentRequired). The schema of a tool or an answer
# then means less than its author wrote:
# 1. `required` names a member that `properties` does not list: it is not required, as in the branches of a oneOf.
# 2. `minimum`, `maximum`, `maxLength`, `properties` or `required` without `type`, also within allOf.
# Expected: what JSON Schema 2020-12 says, where each keyword stands for itself (validation, 6.2 to 6.5), or an error.
# Seen, schemas and what z.toJSONSchema() writes of the schema made of each:
#   {"allOf":[{"type":"number","minimum":0},{"maximum":1}]}: {"allOf":[{"type":"number","minimum":0},{}]}
#   {"minimum":1}: {}
#   {"type":"object","properties":{"side":{}},"required":["size"]}: {"type":"object","properties":{"side":{}}}
#   {"required":["size"]}: {}
#   {"properties":{"size":{"type":"number"}}}: {}
#   {"type":"number","minimum":1}: {"type":"number","minimum":1}
# Exit code 0 while that is so, 1 when it changes. Needs Node.js 20 and npm.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --ignore-scripts --silent --no-audit --no-fund zod@4.6.7
cat > check.mjs <<'SCRIPT'
import { fromJSONSchema, toJSONSchema } from 'zod';

const SCHEMAS = [
  { allOf: [{ type: 'number', minimum: 0 }, { maximum: 1 }] },
  { minimum: 1 },
  { type: 'object', properties: { side: {} }, required: ['size'] },
  { required: ['size'] },
  { properties: { size: { type: 'number' } } },
  { type: 'number', minimum: 1 },
];
for (const schema of SCHEMAS) {
  const { $schema: _, additionalProperties: __, ...written } = toJSONSchema(fromJSONSchema(schema));
  console.log(`${JSON.stringify(schema)}: ${JSON.stringify(written)}`);
}
SCRIPT
node check.mjs | tee seen.txt
cat > expected.txt <<'END'
{"allOf":[{"type":"number","minimum":0},{"maximum":1}]}: {"allOf":[{"type":"number","minimum":0},{}]}
{"minimum":1}: {}
{"type":"object","properties":{"side":{}},"required":["size"]}: {"type":"object","properties":{"side":{}}}
{"required":["size"]}: {}
{"properties":{"size":{"type":"number"}}}: {}
{"type":"number","minimum":1}: {"type":"number","minimum":1}
END
diff expected.txt seen.txt
