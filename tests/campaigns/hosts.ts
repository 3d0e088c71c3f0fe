// Hosts of the Model Context Protocol against a service: `npm run hosts [-- NAME...]`. Each is installed at its version from
// npm, without scripts of packages, and reads the service twice: with its key, and with a wrong one. See docs/hosts.md.
// The integrations in Python run with the packages that docs/integrations.md names, or on stand-ins where pip has none.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { importPackagedData } from '../../adapters/market/files/packaged-data.ts';
import { PYTHON } from '../harness/python.ts';
import { exampleOf, HOSTS, type Host, INTEGRATIONS, type Integration, STEPS } from './hosts/rows.ts';
import { limitVariables, serviceEnvironment, UNREACHED_LIMITS } from './stage/environment.ts';
import { startService } from './stage/server-process.ts';
import { openTally } from './stage/tally.ts';
import { onThrowawayDatabase } from './stage/throwaway-database.ts';
import { toolEnvironment } from './stage/tools.ts';

const DOCUMENT = readFileSync(join(import.meta.dirname, '../../docs/hosts.md'), 'utf8');
const CLIENTS = join(import.meta.dirname, '../../clients');
const SCRIPTS = join(import.meta.dirname, 'hosts/scripts');
const PROGRAMS = join(import.meta.dirname, 'hosts/python');
/** The stand-in of TradingAgents. */
const STUBS = join(import.meta.dirname, '../clients/python/stubs');
/** Milliseconds for one run of a host; the slowest one takes a quarter of it. */
const LONGEST_RUN = 120_000;
/** Between two messages of an input: a host reads the next one when it has answered. */
const BETWEEN_MESSAGES = 3_000;

const wanted = process.argv.slice(2);
const tally = openTally('Hosts');
const versionOf = (program: string) => spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout.trim();
console.log(`Node.js ${process.version}, npm ${versionOf('npm')}, ${versionOf(PYTHON)}`);
await onThrowawayDatabase(async ({ database, folder, adopt }) => {
  // LEAN's and TradingAgents' decisions are about days of these prices.
  const bars = join(folder, 'bars');
  await importPackagedData(bars);
  const own = { MARKET_DATA_BARS_DIR: bars, ...limitVariables(UNREACHED_LIMITS) };
  const { url } = await startService({ ...serviceEnvironment(database), ...own }, adopt);
  const key = await newKey(url, 'hosts');
  // Before programs hold the event loop for longer than idle connections live.
  const integrations = await Promise.all(
    INTEGRATIONS.filter(({ name }) => wanted.length === 0 || wanted.includes(name)).map(async (integration) => ({
      integration,
      own: await newKey(url, integration.name),
    })),
  );
  for (const host of HOSTS.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
    const home = join(folder, host.name.replaceAll(/\W+/g, '-'));
    const fault = installed(host, home);
    tally.check(`${host.name}: is installed`, fault === null ? [] : [fault]);
    if (fault === null) await checkHost(host, home, url, key);
  }
  for (const { integration, own } of integrations) {
    checkIntegration(integration, join(folder, `python-${integration.name}`), url, own);
  }
});
process.exitCode = tally.close() ? 0 : 1;

async function checkHost(host: Host, home: string, url: string, key: string): Promise<void> {
  const { name, packages, configuration, files = {} } = host;
  const example = configuration ? { [configuration]: exampleOf(DOCUMENT, name) } : {};
  for (const [path, text] of Object.entries({ ...files, ...example })) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text.replaceAll('{work}', workOf(home)).replaceAll('http://127.0.0.1:3000', url));
  }
  const [right, wrong] = [await output(host, home, url, key), await output(host, home, url, 'sbk_wrong')];
  tally.holds(`${name} (${packages.join(', ')}): works`, host.works.test(right), right.slice(-2_000));
  tally.holds(`${name}: says what it says with a wrong key`, wrong.includes(host.refused), wrong.slice(-2_000));
}

/** Installs a host into a folder that becomes its home. @returns what npm says where it fails */
function installed({ packages }: Host, home: string): string | null {
  for (const each of [home, workOf(home)]) mkdirSync(each);
  writeFileSync(join(home, 'package.json'), '{"private":true,"type":"module"}\n');
  cpSync(SCRIPTS, home, { recursive: true });
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const npm = spawnSync('npm', ['install', ...options, ...packages], { cwd: home, encoding: 'utf8' });
  return npm.status === 0 ? null : `${npm.stdout}${npm.stderr}`;
}

/** Where a host is started: outside of its home, as in a project. */
function workOf(home: string): string {
  return `${home}-work`;
}

/** All that a host writes in one run. */
async function output(host: Host, home: string, url: string, key: string): Promise<string> {
  const { script, program = [''], input = [] } = host;
  const [file, ...given] = program;
  const args = given.map((each) => each.replaceAll('{url}', url).replaceAll('{key}', key).replaceAll('{home}', home));
  const own = { HOME: home, XDG_CONFIG_HOME: join(home, '.config') };
  const env = { ...toolEnvironment(), ...own, STANCEBOOK_URL: url, STANCEBOOK_API_KEY: key };
  const [command, words] = script ? [process.execPath, [join(home, script)]] : [join(home, 'node_modules', file), args];
  const child = spawn(command, words, {
    cwd: workOf(home),
    env,
    stdio: [input.length > 0 ? 'pipe' : 'ignore', 'pipe', 'pipe'],
  });
  let written = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (part: string) => {
      written += part;
    });
  }
  // A host that has ended reads no more.
  child.stdin?.on('error', () => undefined);
  for (const [n, message] of input.entries()) {
    setTimeout(() => child.stdin?.write(`${JSON.stringify(message)}\n`), n * BETWEEN_MESSAGES);
  }
  setTimeout(() => child.stdin?.end(), (input.length + 1) * BETWEEN_MESSAGES);
  const end = setTimeout(() => child.kill('SIGKILL'), LONGEST_RUN);
  await new Promise<void>((resolve) => {
    child.once('error', (error) => {
      written += String(error);
      resolve();
    });
    child.once('close', () => resolve());
  });
  clearTimeout(end);
  return written;
}

/** Runs an integration with its own account, then with a wrong key: its run ends in both as it would. */
function checkIntegration(integration: Integration, home: string, url: string, accepted: string): void {
  const { name, packages, script, steps = STEPS } = integration;
  const absent = packagesMissing(integration, home);
  if (absent !== null) console.log(`       ${name}: ${absent}; its file runs on stand-ins`);
  const path = [join(CLIENTS, 'python'), join(CLIENTS, 'integrations'), PROGRAMS, ...(absent === null ? [] : [STUBS])];
  const quiet = { CREWAI_DISABLE_TELEMETRY: 'true', CREWAI_TRACING_ENABLED: 'false', OTEL_SDK_DISABLED: 'true' };
  const own = { HOME: home, PYTHONPATH: path.join(':'), PYTHONDONTWRITEBYTECODE: '1', STANCEBOOK_URL: url, ...quiet };
  const program = absent === null && script ? [join(PROGRAMS, script)] : [join(PROGRAMS, 'stand_ins.py'), name];
  for (const [key, reached] of [[accepted, true] as const, ['sbk_wrong', false] as const]) {
    const env = { ...toolEnvironment(), ...own, STANCEBOOK_API_KEY: key };
    const options = { cwd: home, env, encoding: 'utf8', timeout: LONGEST_RUN } as const;
    const { stdout, stderr } = spawnSync(absent === null ? pythonOf(home) : PYTHON, program, options);
    const report = stdout.match(/^\{"version": .*\}$/m)?.[0];
    const { version, ...seen } = report ? JSON.parse(report) : { version: 'no report' };
    const expected = {
      servers: reached ? 1 : 0,
      end: 'done',
      ...Object.fromEntries(steps.map((step) => [step, reached])),
    };
    const what = reached ? `works: ${steps.join(', ')}` : 'runs on with a wrong key';
    const ran = absent === null ? version : `${version}, not ${packages.join(', ')}`;
    tally.holds(`${name} (${ran}): ${what}`, isDeepStrictEqual(seen, expected), [report, stderr.slice(-2_000)]);
  }
}

/** Installs the packages of an integration. @returns why they are not there; null where they are */
function packagesMissing({ packages, script }: Integration, home: string): string | null {
  mkdirSync(home);
  if (script === undefined) return `${packages.join(', ')} is no package that pip could install`;
  const venv = spawnSync(PYTHON, ['-m', 'venv', home], { encoding: 'utf8' });
  if (venv.status !== 0) return `venv says ${lastLine(`${venv.stderr}${venv.stdout}`)}`;
  const install = ['-m', 'pip', 'install', '--quiet', '--retries', '1', ...packages];
  const pip = spawnSync(pythonOf(home), install, { encoding: 'utf8' });
  return pip.status === 0 ? null : `pip says ${lastLine(pip.stderr)}`;
}

function pythonOf(home: string): string {
  return join(home, 'bin/python');
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}

async function newKey(url: string, name: string): Promise<string> {
  const reply = await fetch(`${url}/api/v1/public/auth/quick-setup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: `${name}@example.org`, password: 'twelve or more words' }),
  });
  const { api_key } = (await reply.json()) as { readonly api_key: string };
  return api_key;
}
