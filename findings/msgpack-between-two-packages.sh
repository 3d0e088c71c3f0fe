#!/bin/sh
# A bar that goes through MessagePack from one JavaScript package to another, with the defaults of both, is another bar:
# 1. msgpackr 2.1.4 writes an optional member that is undefined as an extension of its own ("to match other JS
#    implementations"); @msgpack/msgpack 3.1.3 and msgpack-lite 0.2.2 read it as an object, which is true: there is a stop.
# 2. @msgpack/msgpack writes a time in milliseconds as an integer of 64 bits, which msgpackr reads as a BigInt, also where it
#    is below 2^53 (its README has that as the default): `===` with the same number is false, JSON.stringify raises an error.
# 3. msgpackr writes that time, a whole number, as a float of 64 bits.
# Expected: no stop or null; the number 1718000000000; an integer in the bytes.
# Seen:
#   msgpackr to @msgpack/msgpack: stop is ExtData, true
#   msgpackr to msgpack-lite: stop is ExtBuffer, true
#   @msgpack/msgpack to msgpackr: time is a bigint, equal to the number: false
#   1718000000000 by msgpackr: cb4279000c79c00000 (float 64), by @msgpack/msgpack: cf0000019000c79c00 (uint 64)
# Exit code 0 while that is so, 1 when it changes. Needs Node.js 20 and npm.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --ignore-scripts --silent --no-audit --no-fund msgpackr@2.1.4 @msgpack/msgpack@3.1.3 msgpack-lite@0.2.2
cat > check.mjs <<'SCRIPT'
import { decode, encode } from '@msgpack/msgpack';
import lite from 'msgpack-lite';
import { pack, unpack } from 'msgpackr';

const bar = { time: 1718000000000, close: 68000.5, stop: undefined };
const kind = (value) => `${value.constructor.name}, ${Boolean(value)}`;
const hex = (bytes) => Buffer.from(bytes).toString('hex');
console.log('msgpackr to @msgpack/msgpack: stop is', kind(decode(pack(bar)).stop));
console.log('msgpackr to msgpack-lite: stop is', kind(lite.decode(pack(bar)).stop));
const { time } = unpack(encode(bar));
console.log(`@msgpack/msgpack to msgpackr: time is a ${typeof time}, equal to the number: ${time === bar.time}`);
const [float, integer] = [hex(pack(bar.time)), hex(encode(bar.time))];
console.log(`${bar.time} by msgpackr: ${float} (float 64), by @msgpack/msgpack: ${integer} (uint 64)`);
SCRIPT
node check.mjs | tee seen.txt
cat > expected.txt <<'END'
msgpackr to @msgpack/msgpack: stop is ExtData, true
msgpackr to msgpack-lite: stop is ExtBuffer, true
@msgpack/msgpack to msgpackr: time is a bigint, equal to the number: false
1718000000000 by msgpackr: cb4279000c79c00000 (float 64), by @msgpack/msgpack: cf0000019000c79c00 (uint 64)
END
diff expected.txt seen.txt
