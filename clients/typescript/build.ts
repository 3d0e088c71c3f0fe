// Writes the package as JavaScript with declarations, for Node.js 20 and browsers: `node build.ts [FOLDER]`. Into another
// folder it also writes what `npm pack` needs.
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { bundleOf } from './bundle.ts';

const SOURCE = import.meta.dirname;
const WRITER = join(SOURCE, '../../scripts/write-client-types.ts');
const COMPILER = join(SOURCE, '../../node_modules/.bin/tsc');

/**
 * Writes `dist` in a folder.
 * @throws Error with the faults that the generator of the types or the compiler found
 */
export function build(folder: string): void {
  const dist = join(folder, 'dist');
  const compiled = join(dist, 'clients/typescript');
  rmSync(dist, { recursive: true, force: true });
  run(process.execPath, ['--disable-warning=ExperimentalWarning', WRITER]);
  run(COMPILER, ['--project', SOURCE, '--outDir', dist]);
  // The compiler does not copy declarations that it did not make.
  copyFileSync(join(SOURCE, 'client/interface.d.ts'), join(compiled, 'client/interface.d.ts'));
  writeFileSync(join(dist, 'verify.mjs'), bundleOf(join(SOURCE, 'verify.ts')), { mode: 0o755 });
  chmodSync(join(compiled, 'cli.js'), 0o755);
  if (folder === SOURCE) return;
  for (const file of ['package.json', 'README.md']) copyFileSync(join(SOURCE, file), join(folder, file));
}

function run(program: string, args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${[program, ...args].join(' ')} ended with ${status}:\n${stdout}${stderr}`);
}

if (import.meta.main) {
  const folder = resolve(process.argv[2] ?? SOURCE);
  mkdirSync(folder, { recursive: true });
  build(folder);
}
