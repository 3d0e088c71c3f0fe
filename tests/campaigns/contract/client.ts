import { createHash } from 'node:crypto';
import { copyFileSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Run, runNode, runTool, TOOLS } from './tools.ts';

const SOURCE = join(import.meta.dirname, 'client', 'loop.ts');

/** As strict as it gets: types that are only nearly right do not pass. */
const COMPILER_OPTIONS = {
  target: 'es2024',
  lib: ['es2024', 'dom', 'dom.iterable'],
  module: 'nodenext',
  types: ['node'],
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noPropertyAccessFromIndexSignature: true,
  verbatimModuleSyntax: true,
  allowImportingTsExtensions: true,
  noEmit: true,
} as const;

/** A project of somebody who has nothing but the document: the types that are made of it, and a program that uses them. */
export async function makeClient(folder: string, document: string): Promise<Run> {
  symlinkSync(join(TOOLS, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  copyFileSync(SOURCE, join(folder, 'loop.ts'));
  return runTool('openapi-typescript', [document, '--output', join(folder, 'interface.d.ts')]);
}

/** Compiles the program, or others beside it; each fault is a line that begins with the name of the file. */
export function compileClient(folder: string, files: readonly string[] = ['loop.ts']): Promise<Run> {
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files }));
  return runNode([join(TOOLS, 'node_modules', '.bin', 'tsc'), '--project', '.', '--pretty', 'false'], folder);
}

/** The program with one mistake that only the types can tell, in a file beside it; its name. */
export function plantMistake(folder: string, right: string, wrong: string): string {
  const source = readFileSync(SOURCE, 'utf8');
  if (!source.includes(right)) throw new Error(`The client does not say ${right}.`);
  const file = `mistake-${createHash('sha256').update(wrong).digest('hex').slice(0, 8)}.ts`;
  writeFileSync(join(folder, file), source.replace(right, wrong));
  return file;
}

/** Runs the program against a service; it prints `held` and a name for each step that went as the types say. */
export function runClient(folder: string, url: string): Promise<Run> {
  return runNode([join(folder, 'loop.ts'), url], folder);
}
