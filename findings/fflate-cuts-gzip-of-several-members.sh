#!/bin/sh
# fflate 0.8.3 reads a gzip file of two members as the first bytes of the first member: gunzipSync, gunzip and decompressSync
# take the length at the very end of the file, which is that of the LAST member, for the length of everything.
# RFC 1952 (2.2) allows several members one after another; `cat day1.csv.gz day2.csv.gz` and archives that are appended to
# have them. The file of prices ends within a row, and no error is raised. The package's own streams read everything.
# Expected: both days, as zlib of Node.js, DecompressionStream and fflate's own Gunzip have them, or an error.
# Seen:
#   node:zlib: "Date,Close\n2024-06-10,1\n2024-06-11,2\n"
#   gunzipSync: "Date,Close\n20"
#   decompressSync: "Date,Close\n20"
#   gunzip: "Date,Close\n20"
#   Gunzip (stream): "Date,Close\n2024-06-10,1\n2024-06-11,2\n"
# Exit code 0 while that is so, 1 when it changes. Needs Node.js 20 and npm.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --ignore-scripts --silent --no-audit --no-fund fflate@0.8.3
cat > check.mjs <<'SCRIPT'
import { promisify } from 'node:util';
import { gunzipSync as ofNode, gzipSync } from 'node:zlib';
import { decompressSync, Gunzip, gunzip, gunzipSync, strFromU8 } from 'fflate';

const file = Buffer.concat(['Date,Close\n2024-06-10,1\n', '2024-06-11,2\n'].map((day) => gzipSync(day)));
const show = (name, bytes) => console.log(`${name}: ${JSON.stringify(strFromU8(bytes))}`);
show('node:zlib', ofNode(file));
show('gunzipSync', gunzipSync(file));
show('decompressSync', decompressSync(file));
show('gunzip', await promisify(gunzip)(file));
const pieces = [];
new Gunzip((piece) => pieces.push(piece)).push(file, true);
show('Gunzip (stream)', Buffer.concat(pieces));
SCRIPT
node check.mjs | tee seen.txt
cat > expected.txt <<'END'
node:zlib: "Date,Close\n2024-06-10,1\n2024-06-11,2\n"
gunzipSync: "Date,Close\n20"
decompressSync: "Date,Close\n20"
gunzip: "Date,Close\n20"
Gunzip (stream): "Date,Close\n2024-06-10,1\n2024-06-11,2\n"
END
diff expected.txt seen.txt
