import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { bundleOf } from '../../../clients/typescript/bundle.ts';
import { installPackages } from '../stage/debian.ts';
import { write } from './folder.ts';

const CHECK = join(import.meta.dirname, 'check');
/** Where Debian's packages put the sources of Go libraries. */
const LIBRARIES = '/usr/share/gocode';

/** How a program ended, and what it wrote. */
export interface Ended {
  readonly status: number | null;
  readonly output: string;
}

/** The programs that check a log. */
export interface Programs {
  /** Runs the Go program of tests/campaigns/log/check on a folder. */
  check(served: string): Ended;
  /**
   * Runs the verifier of the project, as the one file that everybody gets, with the text of a policy. The campaign's own
   * connections to the service go on meanwhile.
   */
  verify(policy: string, args: readonly string[]): Promise<Ended>;
}

/** Makes the programs in a folder, and installs what they need where it is missing. */
export function preparePrograms(folder: string): Programs {
  const check = compileCheck(folder);
  write(folder, 'verify.mjs', bundleOf(join(import.meta.dirname, '../../../clients/typescript/verify.ts')));
  return {
    check,
    verify(policy, args) {
      write(folder, 'policy', policy);
      const all = ['verify.mjs', ...args, '--policy', 'policy'];
      return new Promise((resolve) => {
        const child = execFile(process.execPath, all, { cwd: folder }, (_, stdout, stderr) =>
          resolve({ status: child.exitCode, output: `${stdout}${stderr}`.trim() }),
        );
      });
    },
  };
}

/** Compiles the check with Debian's Go and its golang.org/x/mod. */
function compileCheck(folder: string): (served: string) => Ended {
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
