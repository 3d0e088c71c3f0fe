import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { installPackages } from '../stage/debian.ts';

const CHECK = join(import.meta.dirname, 'check');
/** Where Debian's packages put the sources of Go libraries. */
const LIBRARIES = '/usr/share/gocode';

/** How a program ended, and what it wrote. */
export interface Ended {
  readonly status: number | null;
  readonly output: string;
}

/**
 * Compiles the check of tests/campaigns/log/check with Debian's Go and its golang.org/x/mod; installs the packages when
 * they are missing.
 * @returns what runs it on a folder
 */
export function compileCheck(folder: string): (served: string) => Ended {
  requirePackages();
  const program = join(folder, 'check');
  const env = { ...process.env, GO111MODULE: 'off', GOPATH: LIBRARIES, GOFLAGS: '', GOPROXY: 'off' };
  const { status, output } = run('go', ['build', '-o', program, '.'], { cwd: CHECK, env });
  if (status !== 0) throw new Error(`go build failed: ${output}`);
  return (served) => run(program, [served]);
}

/** Whether OpenSSL accepts an Ed25519 signature. All three are files; the public key is in PEM. */
export function opensslVerifies(publicKey: string, text: string, signature: string): Ended {
  const key = ['-pubin', '-inkey', publicKey];
  return run('openssl', ['pkeyutl', '-verify', ...key, '-rawin', '-in', text, '-sigfile', signature]);
}

/** Runs the file `verify.mjs` of a folder in it. */
export function runVerifier(folder: string, args: readonly string[]): Ended {
  return run(process.execPath, ['verify.mjs', ...args], { cwd: folder });
}

function requirePackages(): void {
  const missing = [
    ...(run('go', ['version']).status === 0 ? [] : ['golang-go']),
    ...(existsSync(join(LIBRARIES, 'src/golang.org/x/mod/sumdb/tlog')) ? [] : ['golang-golang-x-mod-dev']),
    ...(run('openssl', ['version']).status === 0 ? [] : ['openssl']),
  ];
  if (missing.length > 0) installPackages(...missing);
}

function run(program: string, args: readonly string[], options: { cwd?: string; env?: NodeJS.ProcessEnv } = {}): Ended {
  const { status, stdout, stderr, error } = spawnSync(program, args, { ...options, encoding: 'utf8' });
  return { status, output: error?.message ?? `${stdout}${stderr}`.trim() };
}
