import { PassThrough, Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { strToU8, zipSync } from 'fflate';
import { ZipFile } from 'yazl';
import { workflowRef } from '../../domain/identifiers.ts';
import { type SnapshotContent, skillName } from '../../domain/workflows/snapshot.ts';
import type { SkillParts } from '../../domain/workflows/workflow-files.ts';
import type { ArchiveFile } from '../../domain/zip.ts';
import { EXAMPLE_FILE, REFERENCE_FILE, skillMarkdown, WORKFLOW_FILE } from './skill-markdown.ts';

/** What goes to the compressor at a time, in characters: a line at a time would cost more than its compression. */
const CHUNK = 64 * 1024;

/** See `WriteZip`. */
export async function* writeZip(files: readonly ArchiveFile[], at: Date): AsyncGenerator<Uint8Array> {
  const zip = new ZipFile();
  const bytes = zip.outputStream.pipe(new PassThrough());
  let open: Readable | undefined;
  for (const { name, pieces } of files) {
    zip.addReadStreamLazy(name, { mtime: at }, (use) => {
      open = Readable.from(inChunks(pieces()), { objectMode: false });
      open.once('error', (fault: Error) => bytes.destroy(fault));
      use(null, open);
    });
  }
  zip.end();
  try {
    yield* bytes;
  } finally {
    open?.destroy();
    if (open) await finished(open).catch(() => undefined);
  }
}

async function* inChunks(pieces: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let chunk = '';
  for await (const piece of pieces) {
    chunk += piece;
    if (chunk.length < CHUNK) continue;
    yield Buffer.from(chunk);
    chunk = '';
  }
  if (chunk !== '') yield Buffer.from(chunk);
}

/** The earliest time that a zip can store, in the local time that zips use: the same everywhere. */
const MADE = new Date(1980, 0, 1);

/** The same level, time, order and system for every archive, so that its bytes depend only on its parts. */
const LAYOUT = { level: 6, mtime: MADE, os: 0 } as const;

/** Packs the four files of a skill into one folder that is named like the skill. */
export function packSkill({ snapshot, yaml, guide }: SkillParts): Uint8Array<ArrayBuffer> {
  const name = skillName(snapshot);
  const content = JSON.parse(snapshot.content) as SnapshotContent;
  const workflow_ref = workflowRef(snapshot.hash);
  const example = { ...guide.submission, workflow_ref };
  const files = {
    'SKILL.md': skillMarkdown({ name, content, workflow_ref, submit: guide.submit }),
    [WORKFLOW_FILE]: yaml,
    [REFERENCE_FILE]: guide.reference,
    [EXAMPLE_FILE]: `${JSON.stringify(example, null, 2)}\n`,
  };
  const entries = Object.entries(files).map(([file, text]) => [`${name}/${file}`, strToU8(text)]);
  return zipSync(Object.fromEntries(entries), LAYOUT);
}
