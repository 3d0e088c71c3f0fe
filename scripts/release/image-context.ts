import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const IGNORE = readFileSync(join(import.meta.dirname, '../../.dockerignore'), 'utf8')
  .trim()
  .split('\n');

const LEFT_OUT = IGNORE.filter((line) => !line.startsWith('!') && line !== '*').map((line) => {
  const pattern = line
    .replaceAll('.', '\\.')
    .replaceAll('**/', '(.*/)?')
    .replaceAll(/(?<!\.)\*/g, '[^/]*');
  return new RegExp(`^${pattern}(/|$)`);
});

/** The files and folders that .dockerignore lets through, parts of which it leaves out again. */
export const IMAGE_FOLDERS = IGNORE.filter((line) => line.startsWith('!')).map((line) => line.slice(1));

/** Whether .dockerignore leaves a path below one of these out again. */
export function isLeftOutOfImage(path: string): boolean {
  return LEFT_OUT.some((pattern) => pattern.test(path));
}
