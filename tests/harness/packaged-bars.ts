import { join } from 'node:path';
import { importPackagedData } from '../../adapters/market/files/packaged-data.ts';

const BARS = join(import.meta.dirname, '../../node_modules/.cache/test-bars');

let imported: Promise<string> | undefined;

/** The folder of a bar store, to be read: real price history, converted by the first test that needs it. */
export function packagedBars(): Promise<string> {
  imported ??= importPackagedData(BARS).then(() => BARS);
  return imported;
}
