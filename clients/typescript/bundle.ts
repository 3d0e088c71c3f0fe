// Writes a module and all that it imports as one file without imports: `node bundle.ts [dist/verify.mjs]`.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join, resolve } from 'node:path';

/**
 * One file of JavaScript that does and exports what the module does: each module is a function that is called once,
 * after those that it imports.
 * @param entry its file; relative imports and exports by name alone are possible, others are an error
 */
export function bundleOf(entry: string): string {
  const bundled = new Map<string, string>();
  const body = moduleAt(entry, bundled, ({ source, names }) =>
    names.length === 0 ? source : `${source}\nexport { ${names.join(', ')} };`,
  );
  return `#!/usr/bin/env node\n${body}\n`;
}

interface Module {
  /** Without types, imports and the word export. */
  readonly source: string;
  /** What it exports. */
  readonly names: readonly string[];
}

/** The modules that `file` needs and that are not bundled yet, then `file` itself as `print` writes it. */
function moduleAt(file: string, bundled: Map<string, string>, print: (module: Module) => string): string {
  const texts: string[] = [];
  const names: string[] = [];
  const use = (path: string) => {
    const imported = resolve(dirname(file), path);
    if (!bundled.has(imported)) texts.push(moduleAt(imported, bundled, printed(imported, bundled)));
    return bundled.get(imported);
  };
  const source = stripTypeScriptTypes(readFileSync(file, 'utf8'))
    .replace(IMPORT, (_, named: string, path: string) => `const {${named.replaceAll(' as ', ': ')}} = ${use(path)};`)
    .replace(EXPORT_FROM, (_, named: string, path: string) => {
      names.push(...named.split(',').map((name) => name.trim()));
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
  return [...texts, print({ source, names })].join('\n\n');
}

const IMPORT = /^import \{([^}]*)\} from '(\.{1,2}\/[^']+)';/gm;
const EXPORT_FROM = /^export \{([^}]*)\} from '(\.{1,2}\/[^']+)';/gm;
const EXPORT = /^export ((?:async )?(?:function|const|class) )(\w+)/gm;

function printed(file: string, bundled: Map<string, string>): (module: Module) => string {
  return ({ source, names }) => {
    const variable = `module${bundled.size}`;
    bundled.set(file, variable);
    return `const ${variable} = (() => {\n${source}\nreturn { ${names.join(', ')} };\n})();`;
  };
}

if (import.meta.main) {
  const output = resolve(process.argv[2] ?? join(import.meta.dirname, 'dist', 'verify.mjs'));
  mkdirSync(dirname(output), { recursive: true });
  writeFileSync(output, bundleOf(join(import.meta.dirname, 'verify.ts')), { mode: 0o755 });
}
