import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Modules } from '../../../clients/typescript/bundle.ts';

// What the page's browsers run, made of its sources. The build of the package makes it once (scripts/build/built-page.ts).

/** A module of another folder that is loaded when it is needed. */
const LOADED = /\bimport\('\.{1,2}\/(\w+)\/([\w/-]+\.ts)'\)/g;

const LOADED_AS = 'import("./$1.js").then(({ modules }) => modules["$2"])';

/** Scripts of the page as browsers get them: the modules of a folder, or one module beside the folders, as one file. */
export interface ServedScript {
  /** Such as `records.js`. */
  readonly name: string;
  readonly text: string;
  /** The names of the scripts that this one imports. */
  readonly imports: readonly string[];
}

/**
 * Every script of the page. One file for a folder is a third smaller than its modules, compressed one by one, and is
 * one request instead of up to fifty.
 * @param sources the folder of the modules; modules import those of other folders without a circle
 */
export function servedScripts(sources: string): readonly ServedScript[] {
  return readdirSync(sources, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() || entry.name.endsWith('.ts'))
    .map(({ name }) => servedScript(sources, name))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function servedScript(sources: string, part: string): ServedScript {
  const imports = new Set<string>();
  const modules = new Modules((file) => {
    const [folder = '', ...rest] = file.startsWith(`${sources}/`) ? file.slice(sources.length + 1).split('/') : [];
    if (folder === part || rest.length === 0) return undefined;
    imports.add(folder);
    return `$${folder}['${rest.join('/')}']`;
  });
  const files = part.endsWith('.ts') ? [] : modulesIn(join(sources, part));
  const entries = files.map((name) => `'${name}': ${modules.exportsOf(join(sources, part, name))}`);
  const last =
    files.length > 0
      ? `export const modules = {\n${entries.join(',\n')}\n};`
      : modules.readModule(join(sources, part)).source;
  const head = [...imports].map((folder) => `import { modules as $${folder} } from './${folder}.js';`);
  const text = [...head, ...modules.texts, last].join('\n').replace(LOADED, LOADED_AS);
  return {
    name: `${part.replace(/\.ts$/, '')}.js`,
    // No text has several lines or two blanks in a row (a test): indentation, what types left, and the end of a line next
    // to a bracket have no meaning.
    text: withoutComments(text)
      .replace(/^[ \t]+/gm, '')
      .replace(/ {2,}/g, ' ')
      .replace(/,\n(?=[\])}])/g, '')
      .replace(/(?<=[,({[;])\n|\n(?=[)\]}])/g, ''),
    imports: [...imports].map((folder) => `${folder}.js`),
  };
}

/** The modules of a folder and of those in it. */
function modulesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .sort();
}

/**
 * Without the comments that stand on lines of their own, which are for readers of the source and a fifth of it, and
 * without empty lines.
 */
function withoutComments(script: string): string {
  return script.replace(/^[ \t]*\/\*\*[\s\S]*?\*\/[ \t]*\n/gm, '').replace(/^[ \t]*(?:\/\/.*)?\n/gm, '');
}

/** The libraries in their packaged form for browsers; with the licence where the minified form lacks it. */
export function libraries(): readonly (readonly [name: string, text: string])[] {
  const { resolve } = createRequire(import.meta.url);
  const charts = join(resolve('lightweight-charts/package.json'), '..');
  const codes = join(resolve('uqr'), '../..');
  const licenceOf = (folder: string) => `/*! ${readFileSync(join(folder, 'LICENSE'), 'utf8')}*/\n`;
  return [
    ['lightweight-charts.mjs', readFileSync(join(charts, 'dist/lightweight-charts.standalone.production.mjs'), 'utf8')],
    ['uqr.mjs', licenceOf(codes) + encoderOf(withoutComments(readFileSync(join(codes, 'dist/index.mjs'), 'utf8')))],
  ];
}

/** The encoder alone: the page draws the code itself. @throws Error where the package has another form */
function encoderOf(library: string): string {
  const end = library.indexOf('function renderUnicode(');
  if (end < 0) throw new Error('uqr has no part that draws as text, so that its encoder ends somewhere else.');
  return `${library.slice(0, end)}export { encode };\n`;
}
