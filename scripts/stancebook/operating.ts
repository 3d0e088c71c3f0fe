import { spawn } from 'node:child_process';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Verb } from '../../clients/typescript/cli/verbs.ts';

/** A verb of those who run the service. */
interface OperatingVerb extends Verb {
  run(args: readonly string[]): Promise<void>;
}

export const OPERATING: Readonly<Record<string, OperatingVerb>> = {
  start: {
    usage: '[--data FOLDER] [--port PORT] [--no-open]',
    summary:
      'run the service with its own PostgreSQL, or with that of DATABASE_URL; the variables are those of npm start',
    run: start,
  },
  demo: {
    usage: '[--large] [--data FOLDER] [--port PORT] [--keep | --end]',
    summary: 'run the service with six agents, or thirty, and their graded decisions',
    run: demo,
  },
  admin: {
    usage: '[--data FOLDER] COMMAND ...',
    summary: 'what operators do: status, backup, check-evidence and more; admin help lists them',
    run: admin,
  },
  witness: {
    usage: '--policy FILE --listen HOST:PORT --state DIR [--name NAME]',
    summary: 'run a witness of the evidence logs of others',
    run: async (args) => {
      takeArguments(args);
      await import('../../infrastructure/witness.ts');
    },
  },
};

/** node:sqlite and module.findPackageJSON are there without an option since then. */
const OLDEST = [22, 14] as const;

/** Whether this Node.js can run the service; the verbs of agents run on older ones. */
export function canOperate(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

async function start(args: readonly string[]): Promise<void> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...args],
    options: { data: text, port: text, 'no-open': { type: 'boolean', default: false } },
  });
  await useFolder(values.data);
  if (values.port !== undefined) process.env.PORT = values.port;
  takeArguments([]);
  const { url } = await import('../../infrastructure/main.ts');
  if (url !== null && !values['no-open'] && hasDesktop()) openPage(url);
}

async function admin(args: readonly string[]): Promise<void> {
  const [option, folder, ...rest] = args;
  const isNamed = option === '--data' && folder !== undefined;
  await useFolder(isNamed ? folder : undefined);
  takeArguments(isNamed ? rest : args);
  await import('../../infrastructure/cli.ts');
}

async function demo(args: readonly string[]): Promise<void> {
  const isPlaced = args.some((word) => word === '--data' || word.startsWith('--data='));
  const folder = join(userData(), args.includes('--large') ? 'demo-large' : 'demo');
  await keepCompiled();
  takeArguments(isPlaced ? args : [...args, '--data', folder]);
  await import('../demo.ts');
}

/** The programs read their arguments where each program has its own. */
function takeArguments(args: readonly string[]): void {
  process.argv.splice(2, process.argv.length, ...args);
}

/** DATA_DIR, unless a folder is named here; else the one of the user. */
async function useFolder(named: string | undefined): Promise<void> {
  process.env.DATA_DIR = named === undefined ? process.env.DATA_DIR || userData() : resolve(named);
  await keepCompiled();
}

/** Where programs of this user keep their data: XDG_DATA_HOME, on macOS its own folder. */
function userData(): string {
  const { XDG_DATA_HOME: named = '' } = process.env;
  if (isAbsolute(named)) return join(named, 'stancebook');
  const folder = process.platform === 'darwin' ? ['Library', 'Application Support'] : ['.local', 'share'];
  return join(homedir(), ...folder, 'stancebook');
}

/** The next start need not compile the modules again. A folder that cannot be written is no fault. */
async function keepCompiled(): Promise<void> {
  const { XDG_CACHE_HOME: named = '', NODE_COMPILE_CACHE: chosen } = process.env;
  if (chosen !== undefined) return;
  const folder = join(isAbsolute(named) ? named : join(homedir(), '.cache'), 'stancebook', 'compiled');
  process.env.NODE_COMPILE_CACHE = folder;
  const { enableCompileCache } = await import('node:module');
  enableCompileCache(folder);
}

function hasDesktop(): boolean {
  const { DISPLAY, WAYLAND_DISPLAY, SSH_CONNECTION, CI } = process.env;
  if (!process.stdout.isTTY || CI) return false;
  return process.platform === 'darwin' ? !SSH_CONNECTION : Boolean(DISPLAY || WAYLAND_DISPLAY);
}

function openPage(url: string): void {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const child = spawn(program, [`${url}/`], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}
