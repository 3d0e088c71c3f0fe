// Writes a module and all that it imports as one file without imports: `node bundle.ts [dist/verify.mjs]`.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join, resolve } from 'node:path';

/**
 * One file of JavaScript that does and exports what the module does: each module is a function that is called once,
 * after those that it imports; data that it imports becomes part of it.
 * @param entry its file; relative imports and exports by name alone, and imports of JSON, are possible, others are an error
 */
export function bundleOf(entry: string): string {
  const modules = new Modules();
  const { source, names } = modules.readModule(entry);
  const exported = names.length === 0 ? '' : `\nexport { ${names.join(', ')} };`;
  return `#!/usr/bin/env node\n${[...modules.texts, source + exported].join('\n\n')}\n`;
}

interface Module {
  /** Without types, imports and the word export. */
  readonly source: string;
  /** What it exports. */
  readonly names: readonly string[];
}

/** Modules that become parts of one file, each after those that it imports. */
export class Modules {
  /** Each module as a function that is called once, in the order in which they must run. */
  readonly texts: string[] = [];
  private readonly variables = new Map<string, string>();
  private readonly elsewhere: (file: string) => string | undefined;

  /** @param elsewhere the expression for what a module exports that is part of another file; undefined for any other */
  constructor(elsewhere: (file: string) => string | undefined = () => undefined) {
    this.elsewhere = elsewhere;
  }

  /** The expression for what the module exports; it is taken in, with what it imports, when it is first asked for. */
  exportsOf(file: string): string {
    const known = this.elsewhere(file) ?? this.variables.get(file);
    if (known !== undefined) return known;
    const { source, names } = this.readModule(file);
    const variable = `module${this.variables.size}`;
    this.variables.set(file, variable);
    this.texts.push(`const ${variable} = (() => {\n${source}\nreturn { ${names.join(', ')} };\n})();`);
    return variable;
  }

  readModule(file: string): Module {
    const names: string[] = [];
    const use = (path: string) => this.exportsOf(resolve(dirname(file), path));
    const source = stripTypeScriptTypes(readFileSync(file, 'utf8'))
      .replace(
        IMPORT_DATA,
        (_, name: string, path: string) => `const ${name} = ${dataOf(resolve(dirname(file), path))};`,
      )
      .replace(IMPORT, (_, named: string, path: string) => `const {${named.replaceAll(' as ', ': ')}} = ${use(path)};`)
      .replace(EXPORT_FROM, (_, named: string, path: string) => {
        names.push(
          ...named
            .split(',')
            .map((name) => name.trim())
            .filter(Boolean),
        );
        return `const {${named}} = ${use(path)};`;
      })
      .replace(EXPORT, (_, declaration: string, name: string) => {
        names.push(name);
        return `${declaration}${name}`;
      })
      .replace(/[ \t]+$/gm, '')
      .replace(/\n{3,}/g, '\n\n')
      .trim();
    const left = /^(?:import|export)\b.*/m.exec(source);
    if (left) throw new Error(`${file} has a statement that cannot be bundled: ${left[0]}`);
    return { source, names };
  }
}

/** The value of a JSON file, as an expression. */
function dataOf(file: string): string {
  return JSON.stringify(JSON.parse(readFileSync(file, 'utf8')));
}

const IMPORT = /^import \{([^}]*)\} from '(\.{1,2}\/[^']+)';/gm;
const IMPORT_DATA = /^import (\w+) from '(\.{1,2}\/[^']+\.json)' with \{ type: 'json' \};/gm;
const EXPORT_FROM = /^export \{([^}]*)\} from '(\.{1,2}\/[^']+)';/gm;
const EXPORT = /^export ((?:async )?(?:function|const|class) )(\w+)/gm;

if (import.meta.main) {
  const output = resolve(process.argv[2] ?? join(import.meta.dirname, 'dist', 'verify.mjs'));
  mkdirSync(dirname(output), { recursive: true });
  writeFileSync(output, bundleOf(join(import.meta.dirname, 'verify.ts')), { mode: 0o755 });
}
