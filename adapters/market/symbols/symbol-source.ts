import { SourceUnavailable } from '../../../domain/market/market-data.ts';
import {
  SYMBOL_FILES,
  type SymbolFile,
  type SymbolFileName,
  type SymbolSource,
} from '../../../domain/market/symbol-store.ts';
import type { Millis } from '../../../domain/time.ts';
import { fetchText, NetworkFailure } from '../fetch-text.ts';
import { MalformedFile } from '../files/csv.ts';
import { parseSymbolFile } from './symbol-file.ts';

/**
 * The daily files of US listings, below an address without a closing slash.
 * @param deadline how long each file may take
 */
export function symbolSource(baseUrl: string, deadline: Millis): SymbolSource {
  return { fetch: () => Promise.all(SYMBOL_FILES.map((name) => fetchFile(baseUrl, name, deadline))) };
}

/** The error message leaves out the address it was fetched from. */
async function fetchFile(baseUrl: string, name: SymbolFileName, deadline: Millis): Promise<SymbolFile> {
  try {
    const { status, text } = await fetchText(`${baseUrl}/${name}.txt`, deadline, { accept: 'text/plain' });
    if (status !== 200) throw new SourceUnavailable(`The symbol file ${name} was answered with ${status}.`);
    return parseSymbolFile(name, text);
  } catch (error) {
    if (error instanceof NetworkFailure)
      throw new SourceUnavailable(`The symbol file ${name} did not come: ${error.code}.`);
    if (error instanceof MalformedFile) throw new SourceUnavailable(`The symbol file ${name}, ${error.message}.`);
    throw error;
  }
}
