import { setTimeout as sleep } from 'node:timers/promises';
import { checkpointOf } from '../../../domain/log/notes/checkpoint.ts';
import { noteOf } from '../../../domain/log/notes/note.ts';
import { proofOf } from '../../../domain/log/tree/proof.ts';
import { tilePath, tilesAdded } from '../../../domain/log/tree/tile.ts';
import { write } from './folder.ts';

/** Every checkpoint that was seen of a log, by size. */
export interface Recorder {
  /** Remembers a checkpoint that was served. */
  note(checkpoint: string): void;
  /** Compares the text of a checkpoint that was signed, and may not have been served. */
  noteText(text: string): void;
  /** The first checkpoint of each size, by size. */
  checkpoints(): readonly (readonly [size: number, checkpoint: string])[];
  /** Sizes of which two different roots were signed, in words. */
  forks(): readonly string[];
  stop(): Promise<void>;
}

/** Reads the checkpoint of a log again and again, also while the service restarts. @param prefix its URL */
export function record(prefix: string): Recorder {
  const seen = new Map<number, string>();
  const texts = new Map<number, string>();
  const forks: string[] = [];
  let open = true;
  const noteText = (text: string) => {
    const { size } = checkpointOf(text);
    const known = texts.get(size) ?? text;
    texts.set(size, known);
    if (known !== text) forks.push(`${known}and\n${text}`);
    return size;
  };
  const note = (checkpoint: string) => {
    const size = noteText(noteOf(checkpoint).text);
    if (!seen.has(size)) seen.set(size, checkpoint);
  };
  const polling = (async () => {
    for (; open; await sleep(50)) {
      const reply = await fetch(`${prefix}/checkpoint`).catch(() => null);
      if (reply?.ok) note(await reply.text());
    }
  })();
  return {
    note,
    noteText: (text) => void noteText(text),
    checkpoints: () => [...seen].toSorted(([a], [b]) => a - b),
    forks: () => forks,
    async stop() {
      open = false;
      await polling;
    },
  };
}

/** Downloads the files of a log at these sizes, in the form that the check of the Go program reads. */
export async function mirror(prefix: string, folder: string, checkpoints: ReturnType<Recorder['checkpoints']>) {
  let before = 0;
  for (const [size, checkpoint] of checkpoints) {
    write(folder, `checkpoints/${size}`, checkpoint);
    for (const tile of tilesAdded(before, size)) {
      await download(prefix, folder, tilePath(tile));
      if (tile.level === 0) await download(prefix, folder, tilePath({ ...tile, level: 'entries' }));
    }
    before = size;
  }
  write(folder, 'checkpoint', checkpoints.at(-1)?.[1] ?? '');
}

async function download(prefix: string, folder: string, path: string): Promise<void> {
  const reply = await fetch(`${prefix}/${path}`);
  if (!reply.ok) throw new Error(`${path} was answered ${reply.status}.`);
  write(folder, path, await reply.bytes());
}

/** Writes a proof file under the name that the check of the Go program reads. Returns its path and its checkpoint. */
export function writeProof(folder: string, proof: string): { readonly path: string; readonly checkpoint: string } {
  const { index, checkpoint } = proofOf(proof);
  const path = `inclusion/${checkpointOf(noteOf(checkpoint).text).size}-${index}.tlog-proof`;
  write(folder, path, proof);
  return { path, checkpoint };
}
