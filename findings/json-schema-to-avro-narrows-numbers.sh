#!/bin/sh
# json-schema-to-avro 1.1.0 makes a narrower type of a number than JSON Schema has: `number` becomes a float of 32 bits, and
# `integer` an int of 32 bits. The close 67321.12 that goes through the schema is 67321.1171875, without an error; a time in
# milliseconds and a volume above 2,147,483,647 are no int any more. JSON writes doubles (RFC 8259, 6), and Avro has double
# and long. Its README names no such limit. The name of every schema is the URI of `$id`, which Avro does not allow, so that
# a reader of Avro takes the schema after its name was replaced.
# Expected: 67321.12 and a valid time, as the types double and long have them.
# Seen, through avsc 5.7.9:
#   as it is made: invalid name: "http://example.org/bar.json"
#   types: close float, time int
#   close 67321.12: 67321.1171875, with double 67321.12
#   time 1718000000000 is valid: false, with long true
# Exit code 0 while that is so, 1 when it changes. Needs Node.js 20 and npm.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --ignore-scripts --silent --no-audit --no-fund json-schema-to-avro@1.1.0 avsc@5.7.9
cat > check.mjs <<'SCRIPT'
import avsc from 'avsc';
import jsonSchemaToAvro from 'json-schema-to-avro';

const schema = jsonSchemaToAvro.convert({
  $id: 'http://example.org/bar.json',
  type: 'object',
  properties: { close: { type: 'number' }, time: { type: 'integer' } },
  required: ['close', 'time'],
});
try {
  avsc.Type.forSchema(structuredClone(schema));
  console.log('as it is made: valid');
} catch ({ message }) {
  console.log(`as it is made: ${message}`);
}
console.log(`types: ${schema.fields.map(({ name, type }) => `${name} ${type}`).join(', ')}`);
const WIDE = { close: 'double', time: 'long' };
const made = avsc.Type.forSchema({ ...schema, name: 'Bar' });
const wide = avsc.Type.forSchema({
  ...schema,
  name: 'Bar',
  fields: schema.fields.map((field) => ({ ...field, type: WIDE[field.name] })),
});
const throughBytes = (type) => type.fromBuffer(type.toBuffer({ close: 67321.12, time: 0 })).close;
console.log(`close 67321.12: ${throughBytes(made)}, with double ${throughBytes(wide)}`);
const isValid = (type) => type.isValid({ close: 1, time: 1718000000000 });
console.log(`time 1718000000000 is valid: ${isValid(made)}, with long ${isValid(wide)}`);
SCRIPT
node check.mjs | tee seen.txt
cat > expected.txt <<'END'
as it is made: invalid name: "http://example.org/bar.json"
types: close float, time int
close 67321.12: 67321.1171875, with double 67321.12
time 1718000000000 is valid: false, with long true
END
diff expected.txt seen.txt
