import { readFileSync } from 'node:fs';
import { UsageError } from '../client/errors.ts';

/** The content of a file of JSON; `-` is standard input. @throws UsageError for another text */
export function jsonIn<T>(file: string): T {
  const text = readFileSync(file === '-' ? 0 : file, 'utf8');
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${file === '-' ? 'Standard input' : file} is not JSON.`);
  }
}
