import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { get, type IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import type { Tally } from '../stage/tally.ts';
import { until } from '../stage/until.ts';
import { FILES, startProgram } from './programs.ts';

/** The name in the files. */
export const HOST = 'stancebook.example.org';

/** More than one address may try in a minute. */
const LOGINS = 20;

/** The loopback ports of a proxy: those of http and https, and the one that it passes requests to. */
export interface Ports {
  readonly http: number;
  readonly https: number;
  readonly service: number;
}

/** nginx with the file, a certificate, and these ports instead of its own. */
export async function checkNginx(folder: string, ports: Ports, tally: Tally): Promise<void> {
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
  run('openssl', [
    ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', `/CN=${HOST}`],
    ...['-addext', `subjectAltName=DNS:${HOST}`, '-keyout', key, '-out', certificate],
  ]);
  const file = readFileSync(join(FILES, 'nginx.conf'), 'utf8')
    .replaceAll('/etc/ssl/stancebook/fullchain.pem', certificate)
    .replaceAll('/etc/ssl/stancebook/privkey.pem', key)
    .replaceAll('listen 443', `listen 127.0.0.1:${ports.https}`)
    .replaceAll('listen 80', `listen 127.0.0.1:${ports.http}`)
    .replaceAll('127.0.0.1:3000', `127.0.0.1:${ports.service}`);
  writeFileSync(join(folder, 'stancebook.conf'), file);
  mkdirSync(join(folder, 'body'));
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/body;`,
  );
  const main = `daemon off; pid ${folder}/nginx.pid; error_log stderr; events {}
http { access_log off; ${temporary.join(' ')} include ${folder}/stancebook.conf; }`;
  writeFileSync(join(folder, 'nginx.conf'), main);
  const options = ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr'];
  const tested = spawnSync('nginx', ['-t', ...options], { encoding: 'utf8' });
  const isSound = tested.status === 0 && !/\[(warn|error|emerg)\]/.test(tested.stderr);
  tally.holds('nginx -t accepts nginx.conf without a warning', isSound, tested.stderr);
  const nginx = startProgram('nginx', options, folder);
  try {
    await checkProxy('nginx', ports, readFileSync(certificate, 'utf8'), nginx.output, tally);
  } finally {
    await nginx.stop();
  }
}

/** Caddy with the file, its own authority instead of one on the internet, and these ports instead of its own. */
export async function checkCaddy(folder: string, ports: Ports, tally: Tally): Promise<void> {
  const file = join(folder, 'Caddyfile');
  const text = readFileSync(join(FILES, 'Caddyfile'), 'utf8');
  const global = `{\n\tadmin off\n\tskip_install_trust\n\tdefault_bind 127.0.0.1\n\thttp_port ${ports.http}\n\thttps_port ${ports.https}\n`;
  const local = text
    .replace('{\n', global)
    .replace(`${HOST} {\n`, `${HOST} {\n\ttls internal\n`)
    .replaceAll('127.0.0.1:3000', `127.0.0.1:${ports.service}`);
  writeFileSync(file, local);
  for (const [name, path] of [
    ['the Caddyfile', join(FILES, 'Caddyfile')],
    ['the Caddyfile of this test', file],
  ] as const) {
    const env = { PATH: process.env.PATH, HOME: folder };
    const { status, stderr } = spawnSync('caddy', ['validate', '--config', path, '--adapter', 'caddyfile'], {
      env,
      encoding: 'utf8',
    });
    const isSound = status === 0 && !/"level":"warn"/.test(stderr);
    tally.holds(`caddy validate accepts ${name} without a warning`, isSound, stderr);
  }
  const caddy = startProgram('caddy', ['run', '--config', file, '--adapter', 'caddyfile'], folder);
  try {
    const authority = join(folder, 'caddy/pki/authorities/local/root.crt');
    const isThere = await until(async () => readFileSync(authority).length > 0);
    tally.holds('Caddy makes its certificate', isThere, caddy.output());
    await checkProxy('Caddy', ports, readFileSync(authority, 'utf8'), caddy.output, tally);
  } finally {
    await caddy.stop();
  }
}

/** What docs/proxy.md says of both files. */
async function checkProxy(name: string, ports: Ports, ca: string, output: () => string, tally: Tally): Promise<void> {
  const { holds } = tally;
  const send = (path: string, options: Sent = {}) => overTls(ports.https, ca, path, options);
  const isUp = await until(async () => (await send('/healthz')).status === 200);
  holds(`${name} passes requests to the service by https`, isUp, output());
  const page = await send('/');
  holds(
    `${name} passes the page with its headers`,
    page.status === 200 && 'content-security-policy' in page.headers,
    page,
  );
  const sts = page.headers['strict-transport-security'];
  holds(`the service behind ${name} knows that its callers use https`, sts !== undefined, page.headers);
  const redirected = await redirectionOf(ports.http);
  holds(`${name} redirects http to https`, redirected === `308 https://${HOST}/guide/?q=1`, redirected);
  holds(`${name} does not pass /metrics on`, (await send('/metrics')).status === 404);
  const long = await send('/api/v1/public/auth/login', { body: 'x'.repeat(200 * 1024) });
  holds(`${name} refuses a body of 200 KiB`, long.status === 413, long);
  const longer = await send('/api/v1/public/auth/login', { body: JSON.stringify({ a: 'x'.repeat(70 * 1024) }) });
  holds(`${name} passes a body of 70 KiB on, and the service refuses it`, longer.text.includes('"error"'), longer);
  let last = 0;
  for (let address = 1; address <= LOGINS && last !== 429; address += 1) {
    const headers = { 'x-forwarded-for': `203.0.113.${address}`, forwarded: `for=203.0.113.${address}` };
    const body = JSON.stringify({ email: 'ada@example.org', password: 'not the right one' });
    last = (await send('/api/v1/public/auth/login', { body, headers })).status;
  }
  holds(`behind ${name} a caller cannot lie about its address to get more logins`, last === 429, last);
  const other = await overTls(ports.https, ca, '/', { name: 'other.example.org' }).catch((error: Error) => error);
  holds(`${name} has no certificate for another name`, other instanceof Error, other);
}

/** Status and address of the reply to a request without TLS. */
function redirectionOf(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path: '/guide/?q=1', headers: { host: HOST }, agent: false } as const;
    const sent = get(options, (response) => {
      response.resume();
      resolve(`${response.statusCode} ${response.headers.location}`);
    });
    sent.once('error', reject);
  });
}

interface Sent {
  readonly name?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

function overTls(port: number, ca: string, path: string, { name = HOST, body, headers }: Sent): Promise<Received> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST';
    const json =
      body === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(body.length) };
    const options = { host: '127.0.0.1', port, servername: name, ca, path, method, agent: false } as const;
    const sent = request({ ...options, headers: { host: name, ...json, ...headers } }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.once('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

function run(program: string, args: readonly string[]): void {
  const { status, error, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} failed: ${error?.message ?? stderr}`);
}
