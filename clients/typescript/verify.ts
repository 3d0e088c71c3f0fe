import { runCommand } from './verify/command-line.ts';

export { auditLog, isAudited } from './verify/audit.ts';
export { isProved, verifyFile } from './verify/verify-file.ts';

// A browser has no process, and a program that imports this file runs another one.
const fs = globalThis.process?.getBuiltinModule?.('node:fs');
const url = globalThis.process?.getBuiltinModule?.('node:url');
const program = globalThis.process?.argv[1];
if (fs && url && program && import.meta.url === url.pathToFileURL(fs.realpathSync(program)).href) {
  process.exitCode = await runCommand(process.argv.slice(2), {
    readFile: (file) => fs.readFileSync(file),
    fileExists: (file) => fs.existsSync(file),
    writeFile: (file, text) => fs.writeFileSync(file, text),
    write: (text) => process.stdout.write(text),
    sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
    fetch: async (url) => {
      const response = await fetch(url);
      const body = new Uint8Array(await response.arrayBuffer());
      return { status: response.status, retryAfter: response.headers.get('retry-after'), body };
    },
  });
}
