import { type FileHandle, open, rm } from 'node:fs/promises';
import { exportOwner, exportRecords, withMetaText } from '../../../application/accounts/operators/export-owner.ts';
import { jsonOf } from '../../../application/json-text.ts';
import type { Ports } from '../../../application/ports.ts';
import { errorCode } from '../../error-code.ts';
import { argumentsIn, ownerIn } from '../arguments.ts';
import { type Command, UsageError } from '../command.ts';

/** Writes one JSON document with a decision on each line. */
export const exportOwnerCommand: Command = {
  usage: 'OWNER [--out FILE]',
  summary: 'write all stored data of an owner as JSON, to a new file or to standard output',
  read(args) {
    const { positionals, values } = argumentsIn(args, { out: { type: 'string' } });
    if (positionals.length > 1) throw new UsageError('Name one owner.');
    const ownerArgument = ownerIn(positionals[0]);
    return async ({ storage, print }) => {
      if (values.out === undefined) for await (const line of linesOf(storage, ownerArgument)) print(line);
      else await writeFile(values.out, linesOf(storage, ownerArgument));
      return 0;
    };
  },
};

type ExportPorts = Pick<Ports, 'owners' | 'ownerData' | 'decisions' | 'clock'>;

async function* linesOf(ports: ExportPorts, named: string): AsyncGenerator<string> {
  const { owner_id, exported_at, rows } = await exportOwner(ports, named);
  yield `{"owner_id":${JSON.stringify(owner_id)},"exported_at":${JSON.stringify(exported_at)},`;
  yield `"account":${JSON.stringify(rows)},`;
  yield '"records":[';
  let before = '';
  for await (const page of exportRecords(ports, owner_id)) {
    for (const record of page) {
      if (before !== '') yield `${before},`;
      before = jsonOf(withMetaText(record));
    }
  }
  yield `${before}]}`;
}

/** Only this user can read the file. An incomplete file is removed, and an existing one is never overwritten. */
async function writeFile(path: string, lines: AsyncIterable<string>): Promise<void> {
  const file = await createFile(path);
  try {
    await writeLines(file, lines);
  } catch (fault) {
    await rm(path, { force: true });
    throw fault;
  } finally {
    await file.close();
  }
}

/** @throws Error that says what to do, where the file exists or cannot be made */
async function createFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx', 0o600);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST') throw new Error(`${path} exists already, so nothing was written. Name a new file.`);
    throw new Error(`${path} cannot be made (${code}), so nothing was written. Name a file in a folder of yours.`);
  }
}

async function writeLines(file: FileHandle, lines: AsyncIterable<string>): Promise<void> {
  for await (const line of lines) await file.write(`${line}\n`);
  await file.sync();
}
