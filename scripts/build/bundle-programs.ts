import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';
import { withoutFacadeOfHttp, withoutUnusedParts } from './unused-parts.ts';

export const ROOT = join(import.meta.dirname, '../..');

const PLACE = join(ROOT, 'dist');

/** The programs of the build by their names, each with its source. */
const PROGRAMS = {
  stancebook: 'scripts/stancebook.ts',
  service: 'infrastructure/main.ts',
  'end-with-parent': 'scripts/end-with-parent.mjs',
  'yaml-worker': 'adapters/formats/yaml-worker.ts',
} as const;

/** Has code for each system, and finds its own by where it is. */
export const LEFT_OUT: readonly string[] = ['bcrypt'];

/** Modules that read or find what a checkout has; the build has others in their place. */
const REPLACED: Readonly<Record<string, string>> = {
  'adapters/http/page/page-scripts.ts': 'scripts/build/built-page.ts',
  'clients/typescript/bundle.ts': 'scripts/build/built-bundle.ts',
  'scripts/programs.ts': 'scripts/build/built-programs.ts',
};

/** What a message says to run in a checkout, and what it says in the build. */
const COMMANDS: readonly (readonly [checkout: string | RegExp, built: string])[] = [
  [/npm run (?:--silent )?(admin|witness) -- /g, 'stancebook $1 '],
  ['npm run demo -- ', 'stancebook demo '],
  ['npm run demo [-- ', 'stancebook demo [ '],
];

/**
 * Writes the programs and the parts that they load when they need them into a folder, without types, next to each other.
 * Files that they read are below `files`, where they are in the checkout. Returns what each part is made of.
 */
export async function bundlePrograms(folder: string): Promise<Metafile> {
  const { metafile, outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: PROGRAMS,
    // Maps name sources from there, wherever the build is written.
    outdir: PLACE,
    write: false,
    outExtension: { '.js': '.mjs' },
    chunkNames: 'part-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    // Names stay: logs and metrics show those of classes.
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    sourcemap: 'linked',
    sourcesContent: false,
    metafile: true,
    logLevel: 'error',
    external: [...LEFT_OUT],
    banner: { js: "import{createRequire as requireHere}from'node:module';const require=requireHere(import.meta.url);" },
    plugins: [inPlaceOfCheckout(), withoutAbsentPackages(), withoutUnusedParts(), withoutFacadeOfHttp()],
  });
  for (const { path, text } of outputFiles) {
    writeFileSync(join(folder, relative(PLACE, path)), path.endsWith('.mjs') ? inAscii(text) : text);
  }
  return metafile;
}

/** Own modules find their files below `files`, and name the commands of the build. */
function inPlaceOfCheckout(): Plugin {
  return {
    name: 'in-place-of-checkout',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const name = relative(ROOT, path);
        if (name.startsWith('node_modules')) return undefined;
        const source = join(ROOT, REPLACED[name] ?? name);
        return { contents: builtText(readFileSync(source, 'utf8'), name), loader: 'ts', resolveDir: dirname(source) };
      });
    },
  };
}

/**
 * esbuild leaves other characters in regular expressions alone, where an escape means the same. Node.js stores a module
 * with one of them in twice the memory.
 */
function inAscii(program: string): string {
  return program.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function builtText(source: string, name: string): string {
  const text = COMMANDS.reduce((before, [checkout, built]) => before.replaceAll(checkout, built), source);
  return text
    .replace("new URL('./yaml-worker.ts', import.meta.url)", "new URL('./yaml-worker.mjs', import.meta.url )")
    .replaceAll(/import\.meta\.url\b(?! )/g, `new URL('files/${name}', import.meta.url).href`)
    .replaceAll('import.meta.dirname', `(import.meta.dirname + '/files/${dirname(name)}')`);
}

/** Packages try others, such as drivers of databases, that are not installed: they find none in the build either. */
function withoutAbsentPackages(): Plugin {
  const tried = Symbol('tried');
  return {
    name: 'without-absent-packages',
    setup({ onResolve, resolve }) {
      onResolve({ filter: /^[^./]/ }, async ({ path, importer, kind, resolveDir, pluginData }) => {
        if (pluginData === tried || !importer.includes('node_modules')) return undefined;
        const { errors } = await resolve(path, { importer, kind, resolveDir, pluginData: tried });
        return errors.length > 0 ? { path, external: true } : undefined;
      });
    },
  };
}
