import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { build } from '../../../clients/typescript/build.ts';
import { makeThrowawayFolder, removeThrowawayFolder } from '../../harness/throwaway-folder.ts';

/** The website of an agent: an empty page, and the TypeScript client as npm packs it. */
export interface ClientSite {
  /** Another one than the service's. */
  readonly origin: string;
  /** The path of the module that the package exports. */
  readonly module: string;
  close(): Promise<void>;
}

/** Builds and packs the client, and serves what is in the package. */
export async function openClientSite(): Promise<ClientSite> {
  const folder = makeThrowawayFolder('client-site');
  const root = packedIn(folder);
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const server = siteOf(root);
  const { port } = await listen(server);
  return {
    origin: `http://127.0.0.1:${port}`,
    module: new URL(exports['.'].default, `http://127.0.0.1${PACKAGE}`).pathname,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      removeThrowawayFolder(folder);
    },
  };
}

/** What `npm pack` puts into the package, unpacked. */
function packedIn(folder: string): string {
  const stage = join(folder, 'stage');
  mkdirSync(stage);
  build(stage);
  run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], stage);
  const [packed = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  run('tar', ['-xzf', packed], folder);
  return join(folder, 'package');
}

function run(program: string, args: readonly string[], cwd: string): void {
  const { status, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr}`);
}

const PACKAGE = '/package/';
const PAGE = '<!doctype html><html lang="en"><title>An agent</title><link rel="icon" href="data:,"></html>';

/** Browsers run modules only with the type of JavaScript. */
function siteOf(root: string): Server {
  const files = new Set(
    readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => extname(name) === '.js'),
  );
  return createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1');
    const file = pathname.startsWith(PACKAGE) ? pathname.slice(PACKAGE.length) : '';
    if (files.has(file)) {
      return void response.writeHead(200, { 'content-type': 'text/javascript' }).end(readFileSync(join(root, file)));
    }
    response.writeHead(pathname === '/' ? 200 : 404, { 'content-type': 'text/html' }).end(PAGE);
  });
}

function listen(server: Server): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(server.address() as AddressInfo));
  });
}
