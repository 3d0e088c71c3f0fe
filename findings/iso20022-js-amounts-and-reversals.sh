#!/bin/sh
# iso20022.js 0.0.15 reads other facts from a statement of camt.053 than the bank wrote, and raises no error:
# 1. Amounts are in minor units, with two decimals for every currency: 150,000 yen are 15,000,000, and 1.234 Kuwaiti dinars
#    are 123.4. Its README and types name no unit; ISO 4217 has no decimals for JPY and three for KWD.
# 2. It multiplies doubles: 1.15 euros are 114.99999999999999 cents.
# 3. `reversal` is false for every entry: the parser of XML makes a boolean of "true", and the package compares with the text.
# 4. References and account numbers of digits become numbers: 0012345678 is 12345678.
# Expected: 150000, 1234 and 115, true, and 0012345678.
# Seen:
#   amounts: JPY 150000 is 15000000, KWD 1.234 is 123.4, EUR 1.15 is 114.99999999999999
#   reversal of the entries with <RvslInd>true</RvslInd>: false, false, false
#   account 0012345678: 12345678, reference 000042: 42
# Exit code 0 while that is so, 1 when it changes. Needs Node.js 20 and npm.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --ignore-scripts --silent --no-audit --no-fund iso20022.js@0.0.15
cat > check.mjs <<'SCRIPT'
import { CashManagementEndOfDayReport } from 'iso20022.js';

const AMOUNTS = [['JPY', '150000'], ['KWD', '1.234'], ['EUR', '1.15']];
const amount = ([currency, value]) => `<Amt Ccy="${currency}">${value}</Amt>`;
const entry = (money) => `<Ntry>${amount(money)}<CdtDbtInd>DBIT</CdtDbtInd><RvslInd>true</RvslInd><Sts>BOOK</Sts>
<BookgDt><Dt>2024-01-05</Dt></BookgDt><ValDt><Dt>2024-01-05</Dt></ValDt><AcctSvcrRef>000042</AcctSvcrRef>
<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>RCDT</Cd><SubFmlyCd>ESCT</SubFmlyCd></Fmly></Domn></BkTxCd></Ntry>`;
const report = CashManagementEndOfDayReport.fromXML(`<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"><BkToCstmrStmt>
<GrpHdr><MsgId>M1</MsgId><CreDtTm>2024-01-05T18:00:00Z</CreDtTm></GrpHdr>
<Stmt><Id>S1</Id><ElctrncSeqNb>1</ElctrncSeqNb><CreDtTm>2024-01-05T18:00:00Z</CreDtTm>
<Acct><Id><Othr><Id>0012345678</Id></Othr></Id><Svcr><FinInstnId><BIC>DEUTDEFF</BIC></FinInstnId></Svcr></Acct>
<Bal><Tp><CdOrPrtry><Cd>OPBD</Cd></CdOrPrtry></Tp>${amount(AMOUNTS[0])}<CdtDbtInd>CRDT</CdtDbtInd>
<Dt><Dt>2024-01-05</Dt></Dt></Bal>
${AMOUNTS.map(entry).join('\n')}
</Stmt></BkToCstmrStmt></Document>`);
const [{ account, entries }] = report.statements;
const amounts = entries.map((each, index) => `${AMOUNTS[index].join(' ')} is ${each.amount}`);
console.log(`amounts: ${amounts.join(', ')}`);
const reversals = entries.map(({ reversal }) => reversal);
console.log(`reversal of the entries with <RvslInd>true</RvslInd>: ${reversals.join(', ')}`);
console.log(`account 0012345678: ${account.accountNumber}, reference 000042: ${entries[0].accountServicerReferenceId}`);
SCRIPT
node check.mjs | tee seen.txt
cat > expected.txt <<'END'
amounts: JPY 150000 is 15000000, KWD 1.234 is 123.4, EUR 1.15 is 114.99999999999999
reversal of the entries with <RvslInd>true</RvslInd>: false, false, false
account 0012345678: 12345678, reference 000042: 42
END
diff expected.txt seen.txt
