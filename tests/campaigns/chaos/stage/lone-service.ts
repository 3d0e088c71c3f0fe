import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { SERVICE, startChild } from '../../../../scripts/child-process.ts';
import { stopServer } from '../../stage/server-process.ts';

/**
 * A service as most operators run it: one process with the embedded database, on a data folder of its own. It is stopped but
 * during a fault of its own.
 */
export interface LoneService {
  readonly dataDir: string;
  /** What a planted bug does before a start; nothing without one. */
  beforeStart: () => void;
  start(): Promise<LoneStart>;
  /** Whether its owner can sign in: the account is stored, and its password is as good as it was. */
  signsIn(url: string): Promise<boolean>;
  stop(): Promise<void>;
}

/** Where it answers, or how it ended, with its last words. */
export type LoneStart =
  | { readonly url: string; readonly child: ChildProcess }
  | { readonly url: null; readonly code: number | null; readonly output: string };

const OWNER = JSON.stringify({ email: 'lone@example.org', password: 'four plain words, alone' });

/** Starts it for the first time, registers its owner, and stops it. */
export async function openLoneService(folder: string): Promise<LoneService> {
  const dataDir = join(folder, 'lone');
  let running: ChildProcess | null = null;
  const environment = {
    NODE_ENV: 'production',
    DATA_DIR: dataDir,
    PORT: '0',
    LOG_FORMAT: 'json',
    LOG_LAST_SEEN: join(folder, 'lone-last-seen.json'),
    MARKET_DATA_NETWORK: 'false',
  };
  const service: LoneService = {
    dataDir,
    beforeStart: () => undefined,
    async start() {
      service.beforeStart();
      const child = startChild(SERVICE, { environment });
      running = child;
      const started = await startOf(child);
      if (started.url === null) running = null;
      return started;
    },
    signsIn: async (url) => (await post(`${url}/api/v1/public/auth/login`)) === 200,
    async stop() {
      if (running) await stopServer(running);
      running = null;
    },
  };
  const first = await service.start();
  if (first.url === null) throw new Error(`The lone service did not start:\n${first.output}`);
  const status = await post(`${first.url}/api/v1/public/auth/register`);
  if (status !== 201) throw new Error(`The lone service answered a registration with ${status}.`);
  await service.stop();
  return service;
}

async function post(address: string): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  const reply = await fetch(address, { method: 'POST', headers, body: OWNER });
  await reply.arrayBuffer();
  return reply.status;
}

const READY = /ready at (http:\/\/[^\s"]*:\d+)/;

function startOf(child: ChildProcess): Promise<LoneStart> {
  let output = '';
  return new Promise((resolve) => {
    const read = (part: Buffer) => {
      output = (output + part).slice(-10_000);
      const url = READY.exec(output)?.[1];
      if (url !== undefined) resolve({ url, child });
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    // After the last of its output.
    child.once('close', (code) => resolve({ url: null, code, output }));
  });
}
