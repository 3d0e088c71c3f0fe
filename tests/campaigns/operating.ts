// Runs Debian's systemd-analyze, nginx, Caddy, promtool and Prometheus on the files of docs/operating, in front of the real
// service: `npm run operating`. See docs/testing.md.
import { spawnSync } from 'node:child_process';
import { mkdirSync, openSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type Exit, exitOf, SERVICE, startChild } from '../../scripts/child-process.ts';
import { makeThrowawayFolder, removeThrowawayFolder } from '../harness/throwaway-folder.ts';
import { FILES } from './operating/programs.ts';
import { checkRules, checkScraping } from './operating/prometheus.ts';
import { checkCaddy, checkNginx, HOST } from './operating/proxies.ts';
import { installPackages } from './stage/debian.ts';
import { closeOnSignal } from './stage/interruption.ts';
import { openTally } from './stage/tally.ts';
import { until } from './stage/until.ts';

const PACKAGES = {
  'systemd-analyze': 'systemd',
  nginx: 'nginx-light',
  caddy: 'caddy',
  promtool: 'prometheus',
  openssl: 'openssl',
} as const;

const missing = Object.entries(PACKAGES).filter(([program]) => spawnSync(program, ['--help']).error !== undefined);
if (missing.length > 0) installPackages(...missing.map(([, name]) => name));

const tally = openTally('Operating');
const folder = makeThrowawayFolder('operating');
const [service, http, https, other, others, prometheus] = await freePorts();
// Its log names the address for callers, which does not lead here.
const child = startChild(SERVICE, {
  environment: {
    DATA_DIR: inFolder('data'),
    LOG_LAST_SEEN: join(folder, 'last-seen.json'),
    PORT: String(service),
    PUBLIC_URL: `https://${HOST}`,
    TRUST_PROXY: '127.0.0.1',
    MARKET_DATA_NETWORK: 'false',
    CIRCUIT_MONITOR: 'false',
  },
  stdout: openSync(join(folder, 'service.log'), 'a'),
  stderr: 2,
});
const ended: Promise<Exit> = exitOf(child);
closeOnSignal(close);
try {
  checkUnit();
  checkRules(inFolder('rules'), tally);
  const isReady = await until(async () => (await fetch(`http://127.0.0.1:${service}/readyz`)).ok);
  tally.holds('the service is ready', isReady);
  await checkScraping(inFolder('prometheus'), service, prometheus, tally);
  await checkNginx(inFolder('nginx'), { http, https, service }, tally);
  await checkCaddy(inFolder('caddy'), { http: other, https: others, service }, tally);
} finally {
  await close();
}
process.exitCode = tally.close() ? 0 : 1;

/** The unit has no fault, and little that systemd would still lock down. */
function checkUnit(): void {
  const unit = join(FILES, 'stancebook.service');
  const verified = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' });
  const isSound = verified.status === 0 && verified.stdout + verified.stderr === '';
  tally.holds('systemd-analyze verify finds nothing in stancebook.service', isSound, verified.stderr);
  const judged = spawnSync('systemd-analyze', ['security', '--offline=true', '--threshold=20', unit], {
    encoding: 'utf8',
  });
  const [, exposure] = /Overall exposure level for \S+: (\S+)/.exec(judged.stdout) ?? [];
  tally.holds(`systemd-analyze security: an exposure of ${exposure}, at most 2.0`, judged.status === 0, judged.stdout);
}

function inFolder(name: string): string {
  mkdirSync(join(folder, name), { mode: 0o711 });
  return join(folder, name);
}

async function freePorts(): Promise<readonly [number, number, number, number, number, number]> {
  const free = async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    await new Promise((resolve) => server.close(resolve));
    return address !== null && typeof address === 'object' ? address.port : 0;
  };
  return [await free(), await free(), await free(), await free(), await free(), await free()];
}

async function close(): Promise<void> {
  child.stdin?.end();
  await ended;
  removeThrowawayFolder(folder);
}
