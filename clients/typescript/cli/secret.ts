import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

/** A secret that the user types, without showing it; the first line of standard input where that is no terminal. */
export async function readSecret(prompt: string): Promise<string> {
  const { stdin: input, stderr } = process;
  if (!input.isTTY) {
    for await (const line of createInterface({ input })) return line;
    return '';
  }
  stderr.write(prompt);
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input, output: hidden, terminal: true });
  try {
    return await terminal.question('');
  } finally {
    terminal.close();
    stderr.write('\n');
  }
}
