#!/usr/bin/env bash
# apache-arrow 21.2.0 joins tables by the position of their columns: concat() takes the names of the first table and the values
# of the others as they lie, so that bid and ask of a day whose file has them in the other order change places. A column that
# the first table lacks disappears, and a column of volumes becomes one of prices. No error is raised, and no type tells it:
# TypeScript has one type for both orders, since members of an object have none. The text of concat() says "the same schema";
# the constructor of Table, given the same batches, refuses them.
# Expected: bid 99.75 and ask 100.75 for the second row, as the rows of the second table and as
# tableFromJSON() of both rows have them, or an error.
# Seen, of one row with bid 99.50 and ask 100.50 and one with ask 100.75 and bid 99.75:
#   second table: {"ask":100.75,"bid":99.75}
#   concat: {"bid":99.5,"ask":100.5} {"bid":100.75,"ask":99.75}
#   concat with a column more: {"bid":99.5,"ask":100.5} {"bid":5,"ask":99.75}
#   tableFromJSON of both rows: {"bid":99.5,"ask":100.5} {"bid":99.75,"ask":100.75}
#   new Table of the same batches: Table and inner RecordBatch schemas must be equivalent.
# Exit code 0 while that is so, 1 when it changes. Needs Node.js 20 and npm.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --no-save --ignore-scripts --silent --no-audit --no-fund apache-arrow@21.2.0
cat > check.mjs <<'SCRIPT'
import { Table, tableFromIPC, tableFromJSON, tableToIPC } from 'apache-arrow';

const FIRST = { bid: 99.5, ask: 100.5 };
const SECOND = { ask: 100.75, bid: 99.75 };
const read = (row) => tableFromIPC(tableToIPC(tableFromJSON([row]), 'file'));
const show = (name, table) => console.log(`${name}: ${table.toArray().map((row) => JSON.stringify(row)).join(' ')}`);
const [first, second] = [read(FIRST), read(SECOND)];
show('second table', second);
show('concat', first.concat(second));
show('concat with a column more', first.concat(read({ size: 5, bid: 99.75, ask: 100.75 })));
show('tableFromJSON of both rows', tableFromJSON([FIRST, SECOND]));
try {
  show('new Table of the same batches', new Table([...first.batches, ...second.batches]));
} catch (error) {
  console.log(`new Table of the same batches: ${error.message}`);
}
SCRIPT
node check.mjs | tee seen.txt
cat > expected.txt <<'END'
second table: {"ask":100.75,"bid":99.75}
concat: {"bid":99.5,"ask":100.5} {"bid":100.75,"ask":99.75}
concat with a column more: {"bid":99.5,"ask":100.5} {"bid":5,"ask":99.75}
tableFromJSON of both rows: {"bid":99.5,"ask":100.5} {"bid":99.75,"ask":100.75}
new Table of the same batches: Table and inner RecordBatch schemas must be equivalent.
END
diff expected.txt seen.txt
