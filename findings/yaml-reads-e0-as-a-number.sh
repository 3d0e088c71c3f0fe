#!/bin/sh
# The npm package yaml 2.9.1 reads the plain text `e0` as the number NaN in YAML 1.1, and the name `e12` of a member as
# the name `NaN`. In YAML 1.1 a float begins with a digit or a point (https://yaml.org/type/float.html), so that both are
# texts, as they are to the same package in YAML 1.2 and to PyYAML. Fails when that has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save --prefix . yaml@2.9.1 >/dev/null
cat >read.mjs <<'END'
import { parse } from 'yaml';
for (const version of ['1.1', '1.2']) console.log(version, parse('a: e0\ne12: b\n', { version }));
END
node read.mjs | tee read.txt
cat >expected.txt <<'END'
1.1 { a: NaN, NaN: 'b' }
1.2 { a: 'e0', e12: 'b' }
END
diff expected.txt read.txt
