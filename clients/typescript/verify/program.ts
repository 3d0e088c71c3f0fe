import { nodeStampCrypto } from '../../../domain/log/timestamps/certificates.ts';
import { runCommand } from './command-line.ts';

/** Runs the verifier in a process of Node.js: on its files, its output and its network. Returns the exit code. */
export async function runVerifier(args: readonly string[]): Promise<number> {
  const fs = globalThis.process.getBuiltinModule('node:fs');
  return runCommand(args, {
    readFile: (file) => fs.readFileSync(file),
    fileExists: (file) => fs.existsSync(file),
    writeFile: (file, content) => fs.writeFileSync(file, content),
    makeFolder: (folder) => fs.mkdirSync(folder, { recursive: true }),
    stampCrypto: nodeStampCrypto(globalThis.process.getBuiltinModule('node:crypto')),
    write: (text) => process.stdout.write(text),
    sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
    fetch: async (url, timeout) => {
      const response = await fetch(url, timeout === undefined ? {} : { signal: AbortSignal.timeout(timeout) });
      const body = new Uint8Array(await response.arrayBuffer());
      const { status, headers } = response;
      return { status, retryAfter: headers.get('retry-after'), date: headers.get('date'), body };
    },
  });
}
