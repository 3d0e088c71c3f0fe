/** Shows the progress of work: one changing line on a terminal, otherwise a new line from time to time. */
export interface Progress {
  show(done: number, of: number, note?: string): void;
  finish(note: string): void;
}

export function progressOf(title: string, out: NodeJS.WriteStream = process.stdout): Progress {
  let shownStep = -1;
  const line = (text: string) => `${title.padEnd(10)} ${text}`;
  return {
    show(done, of, note = '') {
      const step = out.isTTY ? done : Math.floor((4 * done) / Math.max(1, of));
      if (step === shownStep) return;
      shownStep = step;
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
