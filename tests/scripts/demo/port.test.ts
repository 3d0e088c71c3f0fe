import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { keepPort, portFor } from '../../../scripts/demo/service-process.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'demo-port-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a demo listens where its last run did, so that links to it go on', async () => {
  expect(await portFor(folder, undefined)).toBe(0);
  const port = await unused();
  keepPort(folder, `http://127.0.0.1:${port}`);
  expect(await portFor(folder, undefined)).toBe(port);
});

test('a chosen port comes first', async () => {
  keepPort(folder, `http://127.0.0.1:${await unused()}`);
  expect(await portFor(folder, '4321')).toBe(4321);
});

test('a port that somebody took meanwhile is left to them', async () => {
  const server = createServer();
  const port = await listening(server);
  keepPort(folder, `http://127.0.0.1:${port}`);
  expect(await portFor(folder, undefined)).toBe(0);
  server.close();
});

test.each(['', 'x', '-1', '70000'])('a file that says "%s" is no port', async (text) => {
  writeFileSync(join(folder, 'port'), text);
  expect(await portFor(folder, undefined)).toBe(0);
});

function listening(server: ReturnType<typeof createServer>): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : 0);
    });
  });
}

async function unused(): Promise<number> {
  const server = createServer();
  const port = await listening(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}
