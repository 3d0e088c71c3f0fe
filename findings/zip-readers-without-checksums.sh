#!/bin/sh
# Most readers of zip files do not compare the CRC-32 that the archive has of each file (APPNOTE.TXT 4.4.7) with what they
# have unpacked, unless they are asked to. Here one digit of a price was changed in a file that is stored as it is, as
# `zip -0` and some exports of prices do: 189.5 is read as 989.5, without an error.
# Expected: an error, as adm-zip, Python's zipfile and unzip give it.
# Seen:
#   fflate 0.8.3, unzipSync and unzip: 989.5; it has no option for it
#   jszip 3.10.1: 989.5; an error with checkCRC32
#   @zip.js/zip.js 2.7.60: 989.5; an error with checkSignature
#   unzipit 1.4.3: 989.5; it has no option for it
#   yauzl 3.2.0: 989.5; it checks the length alone, and its documentation says so
#   adm-zip 0.5.16: an error
# Exit code 0 while that is so, 1 when it changes. Needs Node.js 20 and npm.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --ignore-scripts --silent --no-audit --no-fund fflate@0.8.3 jszip@3.10.1 @zip.js/zip.js@2.7.60 unzipit@1.4.3 \
  yauzl@3.2.0 adm-zip@0.5.16
cat > check.mjs <<'SCRIPT'
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { BlobReader, TextWriter, ZipReader } from '@zip.js/zip.js';
import AdmZip from 'adm-zip';
import { strFromU8, strToU8, unzip, unzipSync, zipSync } from 'fflate';
import JSZip from 'jszip';
import { unzip as unzipIt } from 'unzipit';
import yauzl from 'yauzl';

const NAME = 'closes.csv';
const file = Buffer.from(zipSync({ [NAME]: [strToU8('Date,Close\n2024-06-10,189.5\n'), { level: 0 }] }));
file[file.indexOf('189.5')] = 0x39;

const ofJszip = async (options) => (await JSZip.loadAsync(file, options)).file(NAME).async('string');
const ofZipJs = async (options) => {
  const [entry] = await new ZipReader(new BlobReader(new Blob([file])), options).getEntries();
  return entry.getData(new TextWriter());
};
const ofYauzl = async () => {
  const zip = await promisify(yauzl.fromBuffer)(file, { lazyEntries: true });
  const entry = await new Promise((resolve) => {
    zip.once('entry', resolve);
    zip.readEntry();
  });
  return text(await promisify(zip.openReadStream.bind(zip))(entry));
};
const readers = {
  'fflate unzipSync': async () => strFromU8(unzipSync(file)[NAME]),
  'fflate unzip': async () => strFromU8((await promisify(unzip)(file))[NAME]),
  jszip: () => ofJszip({}),
  'jszip with checkCRC32': () => ofJszip({ checkCRC32: true }),
  'zip.js': () => ofZipJs({}),
  'zip.js with checkSignature': () => ofZipJs({ checkSignature: true }),
  unzipit: async () => (await unzipIt(new Uint8Array(file))).entries[NAME].text(),
  yauzl: ofYauzl,
  'adm-zip': async () => new AdmZip(file).readAsText(NAME),
};
for (const [name, read] of Object.entries(readers)) {
  console.log(`${name}: ${await read().then((found) => found.trim().split(',').at(-1), () => 'an error')}`);
}
SCRIPT
node check.mjs | tee seen.txt
cat > expected.txt <<'END'
fflate unzipSync: 989.5
fflate unzip: 989.5
jszip: 989.5
jszip with checkCRC32: an error
zip.js: 989.5
zip.js with checkSignature: an error
unzipit: 989.5
yauzl: 989.5
adm-zip: an error
END
diff expected.txt seen.txt
