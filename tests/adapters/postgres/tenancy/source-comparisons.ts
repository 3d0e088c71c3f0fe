import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { slipsIn } from './slips.ts';

const POSTGRES = join(import.meta.dirname, '../../../../adapters/postgres');

/** A place of the sources that compares an owner: a part of a statement, or a call of a repository. */
export interface SourceComparison {
  readonly file: string;
  readonly part: string;
  /** Whether a statement that was sent comes from it. */
  readonly isIn: (sent: string) => boolean;
}

/** Those of the adapter's TypeScript. Migrations compare no owner of a caller. */
export function sourceComparisons(): readonly SourceComparison[] {
  const files = readdirSync(POSTGRES, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !/^(migrations|entities)\//.test(file),
  );
  return files.flatMap((file) => {
    const text = readFileSync(join(POSTGRES, file), 'utf8');
    return [...partsOfStatements(text), ...callsOfRepositories(text)].map((each) => ({ file, ...each }));
  });
}

/** The stretch of a literal around the comparison that is on one line and has nothing filled in (`?` is a parameter). */
function partsOfStatements(text: string): readonly Omit<SourceComparison, 'file'>[] {
  return slipsIn(text).flatMap(({ comparison, at }) => {
    const before =
      text
        .slice(0, at)
        .split(/[`'?\n]|\$\{[^}]*\}/)
        .at(-1) ?? '';
    const after = text.slice(at + comparison.length).split(/[`'\n]|\$\{/)[0] ?? '';
    const part = `${before}${comparison.split(/[`'\n]|\$\{/)[0]}${comparison.includes('${') ? '' : after}`.trim();
    return [{ part, isIn: (sent: string) => sent.includes(part) }];
  });
}

const CALL = /\.(find|findOne|findBy|findOneBy|existsBy|delete|update)\(\s*([A-Z_]+),\s*([^;]*?)\)/g;
const WHERE = /\.where\((\{[^}]*\bowner_id\b[^}]*\})\)/g;

function callsOfRepositories(text: string): readonly Omit<SourceComparison, 'file'>[] {
  const calls = [...text.matchAll(CALL)].filter(([, , , values = '']) => values.includes('owner_id'));
  const builders = [...text.matchAll(WHERE)].map(({ 0: part, index }) => {
    const [, table = ''] = [...text.slice(0, index).matchAll(/\((?:\s*)([A-Z_]+)\b/g)].at(-1) ?? [];
    return { part, isIn: (sent: string) => isAbout(sent, table) };
  });
  return [
    ...calls.map(([part, , table = '']) => ({ part, isIn: (sent: string) => isAbout(sent, table) })),
    ...builders,
  ];
}

function isAbout(sent: string, table: string): boolean {
  return sent.includes(`"${table.toLowerCase()}"`) && /"owner_id" = /.test(sent);
}
