import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { vkeyText } from '../../../domain/log/notes/note.ts';
import { freePort } from '../../../infrastructure/embedded-postgres/supervisor.ts';
import { binanceServer } from '../../harness/exchanges/binance-server.ts';
import { faultServer } from '../../harness/exchanges/fault-server.ts';
import { pegServer } from '../../harness/exchanges/peg-server.ts';
import { openProvider, type TestProvider } from '../../harness/identity/provider.ts';
import { openMailbox } from '../../harness/mailbox.ts';
import { type Receiver, receiver } from '../../harness/outgoing/receiver.ts';
import { startWitness, stopWitness } from '../../harness/witness.ts';
import type { LogKeyFile } from '../stage/evidence-log.ts';

/** All that a service can reach outside, on loopback. */
export interface World {
  /** The address of the service, which its log and its passkeys are named by. */
  readonly publicUrl: string;
  readonly provider: TestProvider;
  /** Of webhooks. */
  readonly receiver: Receiver;
  /** How receipts are verified. */
  readonly policy: string;
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

const CREATED = 'File Creation Time: 0203202618:03|||||||\r\n';

/** The daily files of US listings, a row of each. */
const LISTINGS: Readonly<Record<string, string>> = {
  '/nasdaqlisted.txt':
    'Symbol|Security Name|Market Category|Test Issue|Financial Status|Round Lot Size|ETF|NextShares\r\n' +
    `MSFT|Microsoft Corporation - Common Stock|Q|N|N|100|N|N\r\n${CREATED}`,
  '/otherlisted.txt':
    'ACT Symbol|Security Name|Exchange|CQS Symbol|ETF|Round Lot Size|Test Issue|NASDAQ Symbol\r\n' +
    `IBM|International Business Machines Corporation Common Stock|N|IBM|N|100|N|IBM\r\n${CREATED}`,
};

/** @param now the clock of the service, which the exchanges have too */
export async function openWorld(folder: string, logKey: LogKeyFile, now: () => Date): Promise<World> {
  const port = await freePort();
  const publicUrl = `http://localhost:${port}`;
  const exchange = await binanceServer();
  const series = { since: 0, now: Date.now(), until: Number.MAX_SAFE_INTEGER, quiet: new Set<number>() };
  exchange.pairs.set('BTCUSDT', {
    ...{ base: 'BTC', quote: 'USDT', status: 'TRADING' },
    series: { ...series, wrong: new Map() },
  });
  const pegs = await pegServer(() => ({ last: 1, bid: 0.9999, ask: 1.0001, at: now() }));
  const refusing = await faultServer(() => ({ status: 503, json: { message: 'Down for maintenance' } }));
  const symbols = await receiver((request, response) => {
    response.end(LISTINGS[request.url ?? '']);
  });
  const mailbox = await openMailbox();
  const provider = await openProvider({ redirectUris: [`${publicUrl}/api/v1/public/auth/idp/callback`] });
  const hooks = await receiver((_request, response) => void response.end());
  const key = logKey.verifierKey(`${new URL(publicUrl).host}/log/1`);
  const witness = await startWitness(folder, { logKeys: [key] });
  const policy = `log ${vkeyText(key)}\nwitness W ${witness.vkey} ${witness.url}\nquorum W\n`;
  const policyFile = join(folder, 'log-policy');
  writeFileSync(policyFile, policy);
  const addresses = {
    ...Object.fromEntries(['BYBIT', 'OKX', 'COINBASE'].map((name) => [`MARKET_DATA_${name}_URL`, refusing.url])),
    MARKET_DATA_BINANCE_URL: exchange.url,
    MARKET_DATA_BINANCE_FUTURES_URL: refusing.url,
    MARKET_DATA_KRAKEN_URL: pegs.url,
    MARKET_DATA_SYMBOLS_URL: `http://127.0.0.1:${symbols.port}`,
    CIRCUIT_BITSTAMP_URL: pegs.url,
    CIRCUIT_GEMINI_URL: pegs.url,
    SMTP_URL: `smtp://127.0.0.1:${mailbox.port}`,
  };
  return {
    publicUrl,
    provider,
    receiver: hooks,
    policy,
    environment: {
      ...addresses,
      ...provider.env,
      PORT: String(port),
      PUBLIC_URL: publicUrl,
      ALLOWED_HOSTS: '127.0.0.1',
      MAIL_FROM: 'notices@example.org',
      LOG_POLICY_FILE: policyFile,
      MARKET_DATA_NETWORK: 'true',
      WEBHOOK_ALLOW_PRIVATE: 'true',
      DATA_SNAPSHOTS: 'monthly',
      DATA_SNAPSHOTS_LICENCE: 'CC-BY-4.0',
    },
    async close() {
      for (const each of [symbols, hooks]) each.close();
      await Promise.all([exchange, pegs, refusing, mailbox, provider].map((each) => each.close()));
      await stopWitness(witness);
    },
  };
}
