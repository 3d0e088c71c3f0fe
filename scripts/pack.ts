// `npm run pack`: makes the package `stancebook` from the build, as dist/pack/stancebook-VERSION.tgz.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LEFT_OUT, ROOT } from './build/bundle-programs.ts';
import { buildTo } from './build.ts';

/** In Node.js since then: node:sqlite and module.findPackageJSON, without an option. */
const OLDEST_NODE = '>=22.14';

/** Texts for those who install it, where the project has them. */
const TEXTS = ['LICENSE', 'NOTICE', 'LICENSING.md', 'CHANGELOG.md'];

/** Builds, and writes the package below a folder. Returns its path. */
export async function packInto(folder: string): Promise<string> {
  const stage = join(folder, 'stage');
  rmSync(stage, { recursive: true, force: true });
  mkdirSync(stage, { recursive: true });
  await buildTo(join(stage, 'dist'));
  writeFileSync(join(stage, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
  cpSync(join(import.meta.dirname, 'build/README.md'), join(stage, 'README.md'));
  for (const name of TEXTS) if (existsSync(join(ROOT, name))) cpSync(join(ROOT, name), join(stage, name));
  const npm = ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder];
  const { status, stdout, stderr } = spawnSync('npm', npm, { cwd: stage, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm pack ended with ${status}:\n${stdout}${stderr}`);
  rmSync(stage, { recursive: true });
  return join(folder, stdout.trim());
}

/** What the package needs besides itself: what has code for each system, the embedded PostgreSQL and the sample prices. */
function manifest() {
  const { name, version, description, license, dependencies, optionalDependencies } = described(ROOT);
  const needed = Object.fromEntries(LEFT_OUT.map((each) => [each, dependencies[each]]));
  const prices = described(join(ROOT, 'scripts/prices')).dependencies;
  return {
    ...{ name, version, description, license, type: 'module', engines: { node: OLDEST_NODE } },
    ...{ bin: { stancebook: 'dist/stancebook.mjs' }, files: ['dist', ...TEXTS] },
    mcpName: JSON.parse(readFileSync(join(ROOT, 'server.json'), 'utf8')).name as string,
    dependencies: needed,
    optionalDependencies: { ...optionalDependencies, ...prices },
  };
}

interface Described {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

function described(folder: string): Described {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

if (import.meta.main) console.log(await packInto(join(ROOT, 'dist/pack')));
