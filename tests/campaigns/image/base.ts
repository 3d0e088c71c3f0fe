import { cpSync, mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runProgram } from './programs.ts';

/** What Node.js needs of Debian, a shell of one file, and time zones. */
const PACKAGES = ['base-files', 'libc6', 'libgcc-s1', 'libstdc++6', 'busybox-static', 'tzdata'];

/** Not needed to run anything; the copyright files stay. */
const LEFT_OUT = ['doc/*', 'man/*', 'info/*', 'locale/*', 'lintian/*', 'bug/*'];

const SUITE = 'bookworm';

/** A folder with Debian's packages, this Node.js, and the user `node`, as an image of Node.js has them. */
export function makeBase(folder: string): void {
  const without = LEFT_OUT.map((each) => `--dpkgopt=path-exclude=/usr/share/${each}`);
  const copyright = '--dpkgopt=path-include=/usr/share/doc/*/copyright';
  const options = ['--variant=extract', '--mode=root', '--quiet', `--include=${PACKAGES.join(',')}`];
  runProgram('mmdebstrap', [...options, ...without, copyright, SUITE, folder, 'http://deb.debian.org/debian']);
  for (const name of ['var/lib/apt', 'var/cache', 'dev']) rmSync(join(folder, name), { recursive: true, force: true });
  for (const name of ['dev', 'proc', 'tmp', 'run']) mkdirSync(join(folder, name), { recursive: true });
  runProgram('chroot', [folder, '/bin/busybox', '--install', '-s']);
  const users = ['root:x:0:0:root:/root:/bin/sh', 'node:x:1000:1000::/home/node:/bin/sh', ''];
  writeFileSync(join(folder, 'etc/passwd'), users.join('\n'));
  writeFileSync(join(folder, 'etc/group'), 'root:x:0:\nnode:x:1000:\n');
  mkdirSync(join(folder, 'usr/local/bin'), { recursive: true });
  cpSync(realpathSync(process.execPath), join(folder, 'usr/local/bin/node'));
}

/** The same with npm, and with the authorities that this machine trusts where npm is reached through one of its own. */
export function makeBuilder(base: string, folder: string): void {
  runProgram('cp', ['--archive', base, folder]);
  const npm = join(folder, 'usr/local/lib/npm');
  cpSync(npmFolder(), npm, { recursive: true, dereference: true });
  symlinkSync('../lib/npm/bin/npm-cli.js', join(folder, 'usr/local/bin/npm'));
  const { NODE_EXTRA_CA_CERTS: authorities } = process.env;
  if (authorities) cpSync(realpathSync(authorities), join(folder, 'etc/authorities.crt'));
}

function npmFolder(): string {
  const { npm_execpath: program = '' } = process.env;
  const folder = dirname(dirname(realpathSync(program || runProgram('sh', ['-c', 'command -v npm']).trim())));
  if (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).name !== 'npm')
    throw new Error(`No npm: ${folder}`);
  return folder;
}
