/** Tells how far a piece of work is: one line that changes on a terminal, a line now and then elsewhere. */
export interface Progress {
  tell(done: number, of: number, note?: string): void;
  finish(note: string): void;
}

export function progressOf(title: string, out: NodeJS.WriteStream = process.stdout): Progress {
  let told = -1;
  const line = (text: string) => `${title.padEnd(10)} ${text}`;
  return {
    tell(done, of, note = '') {
      const step = out.isTTY ? done : Math.floor((4 * done) / Math.max(1, of));
      if (step === told) return;
      told = step;
      const text = line(`${bar(done, of)} ${done} of ${of} ${note}`);
      out.write(out.isTTY ? `\r\x1b[2K${text}` : `${text.trimEnd()}\n`);
    },
    finish(note) {
      out.write(`${out.isTTY ? '\r\x1b[2K' : ''}${line(note)}\n`);
    },
  };
}

const WIDTH = 24;

function bar(done: number, of: number): string {
  const filled = Math.round((WIDTH * done) / Math.max(1, of));
  return `[${'='.repeat(filled)}${' '.repeat(WIDTH - filled)}]`;
}
