import { stripTypeScriptTypes } from 'node:module';

/**
 * A module of the page as browsers get it: without types and without the comments that stand on lines of their own,
 * which are for its readers here and a fifth of its size.
 */
export function servedScript(source: string): string {
  const lines = stripTypeScriptTypes(source).replace(/^[ \t]*\/\*\*[\s\S]*?\*\/[ \t]*\n/gm, '');
  return lines.replace(/^[ \t]*(?:\/\/.*)?\n/gm, '').replace(/[ \t]+$/gm, '');
}
