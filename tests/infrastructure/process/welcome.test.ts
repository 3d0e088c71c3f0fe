import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { importPackagedData } from '../../../adapters/market/files/packaged-data.ts';
import { readConfig } from '../../../infrastructure/config/config.ts';
import { welcome } from '../../../infrastructure/process/welcome.ts';
import { adminEnvironment } from '../../harness/admin-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'stancebook-welcome-'));
afterAll(() => rmSync(folder, { recursive: true }));

const URL = 'http://127.0.0.1:3000';
const embedded = () => welcome(URL, readConfig({ DATA_DIR: folder }));
const own = () => welcome(URL, readConfig(adminEnvironment('postgres://stancebook@127.0.0.1/stancebook', folder)));

test('says which prices the first decision lacks, and that an embedded database stops with the service', async () => {
  const NOT_LOADED = 'Its prices are not loaded: npm run admin -- load-packaged loads them.';
  expect(await own()).toContain(NOT_LOADED);
  expect(await embedded()).toContain('Its prices are not installed: npm start installs them.');
  await importPackagedData(join(folder, 'bars'));
  expect(await own()).not.toContain('prices');
  expect(await own()).not.toContain('Ctrl-C');
  expect(await embedded()).not.toContain('prices');
  expect(await embedded()).toContain('Ctrl-C');
});

test('says whether the evidence log is kept, where the newest tree is noted, and why it is not kept', async () => {
  expect(await own()).toContain(
    '  Log        off, because DATABASE_URL is set and LOG_KEY_FILE is not: there are no receipts',
  );
  const noted = join(folder, 'seen.json');
  const config = readConfig({ DATA_DIR: folder, LOG_LAST_SEEN: noted });
  expect(await welcome(URL, config)).toContain(
    `  Log        kept, a signed batch every 60 s; the newest tree is noted in ${noted}`,
  );
  const api = readConfig({ ...adminEnvironment('postgres://stancebook@127.0.0.1/stancebook', folder), ROLE: 'api' });
  expect(await welcome(URL, api)).toContain('  Log        kept by the processes with ROLE=worker');
});
