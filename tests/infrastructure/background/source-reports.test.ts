import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { openMemory } from '../../../adapters/memory/storage.ts';
import type { SourceHealth } from '../../../domain/market/source-health.ts';
import { reportSources, servedBy } from '../../../infrastructure/background/process-reports.ts';
import { readConfig } from '../../../infrastructure/config/config.ts';
import { createLogger } from '../../../infrastructure/logging/logger.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'stancebook-reports-'));
afterAll(() => rmSync(dataDir, { recursive: true }));
const config = readConfig({ DATA_DIR: dataDir, MARKET_DATA_CRYPTO: 'KRAKEN:kraken+coinbase,COINBASE:coinbase+files' });
const log = createLogger({ level: 'silent', format: 'json' });

const health: SourceHealth[] = ['kraken', 'coinbase', 'binance', 'binance-futures'].map((source) => ({
  source,
  state: 'never asked',
  failures: 0,
  last_error: null,
  last_error_at: null,
  last_success_at: null,
}));

test('each source is listed with all that it serves; files are not listed, nor is any source without the network', () => {
  const served = servedBy(config.marketData);
  expect([served.get('kraken'), served.get('coinbase'), served.get('files')]).toEqual([
    'KRAKEN',
    'KRAKEN, COINBASE',
    undefined,
  ]);
  expect(servedBy({ ...config.marketData, network: false }).size).toBe(0);
});

test('a process reports its sources at once, and removes the reports when it ends', async () => {
  const storage = openMemory();
  const failing = { ...health[0], state: 'paused', failures: 9 } as SourceHealth;
  const stop = reportSources(storage, () => [failing, ...health.slice(1)], config, log);
  let reports = await storage.sourceHealth.reportsSince(new Date(0));
  while (reports.length === 0) reports = await storage.sourceHealth.reportsSince(new Date(0));
  expect(reports.map(({ source, serves, state, failures }) => [source, serves, state, failures])).toEqual([
    ['binance', '', 'never asked', 0],
    ['binance-futures', '', 'never asked', 0],
    ['coinbase', 'KRAKEN, COINBASE', 'never asked', 0],
    ['kraken', 'KRAKEN', 'paused', 9],
  ]);
  await stop();
  expect(await storage.sourceHealth.reportsSince(new Date(0))).toEqual([]);
});

test('a database that is down stops nothing', async () => {
  const storage = openMemory();
  const record = () => Promise.reject(new Error('the database is down'));
  const stop = reportSources(
    { ...storage, sourceHealth: { ...storage.sourceHealth, record } },
    () => health,
    config,
    log,
  );
  await expect(stop()).rejects.toThrow('the database is down');
});
