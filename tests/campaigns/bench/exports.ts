import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createWriteStream, readFileSync, statSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { writeZip } from '../../../adapters/formats/zip-archive.ts';
import { EXPORT_FORMATS } from '../../../application/accounts/export-own-data.ts';
import { PYTHON } from '../../harness/python.ts';
import { openStorage } from '../stage/storage.ts';
import { onThrowawayDatabase, type ThrowawayDatabase } from '../stage/throwaway-database.ts';
import { addDatabase } from './added-database.ts';
import type { NoteRatio } from './aims.ts';
import { cpuDuring } from './cpu.ts';
import { type CopyCost, copyByDuckDb } from './duckdb-copy.ts';
import { type Served, serve } from './history/in-turn.ts';
import { loadHistory } from './history/load-history.ts';
import type { TemplateExtent } from './history/templates.ts';

export interface ExportExtent {
  /** Decisions of the one owner. */
  readonly records: number;
  readonly templates: TemplateExtent;
  /** The size of the archive that Python reads, in GiB; 0 leaves it out. */
  readonly large: number;
}

/**
 * What exports of all records of an owner cost, and the memory of the service meanwhile; Python reads each archive. That as
 * Parquet next to DuckDB's.
 */
export function benchExports(extent: ExportExtent, note: NoteRatio): Promise<string> {
  return onThrowawayDatabase(async (throwaway) => {
    const { served, cookie } = await load(throwaway, extent);
    const lines = [HEAD];
    for (const format of EXPORT_FORMATS) {
      const file = format === 'zip' ? join(throwaway.folder, 'exported.zip') : devNull;
      const cost = await measure(throwaway, served, { path: `${PATH}?format=${format}`, cookie, file });
      lines.push(lineOf(format, cost, extent.records));
      if (format === 'zip') lines.push(readByPython(file));
      console.log(lines.slice(-2).join('\n'));
      if (format !== 'parquet') continue;
      const copied = await copyByDuckDb(throwaway, served.urls);
      lines.push(lineOf('DuckDB', copied, extent.records), ABOUT_DUCKDB);
      const ratio = (copied.node + copied.postgres) / (cost.node + cost.postgres);
      note("Parquet export, rows a CPU second / DuckDB's COPY", ratio, `${extent.records.toLocaleString('en')} rows`);
    }
    if (extent.large > 0) lines.push(await largeArchive(throwaway.folder, extent.large));
    return lines.join('\n');
  });
}

const PATH = '/api/v1/owner/export';
const HEAD =
  'format   Node us PostgreSQL us    bytes   seconds  MiB before  MiB at most   (each of a record, but for the last three)';
const ABOUT_DUCKDB =
  "DuckDB: PostgreSQL's COPY of the rows as CSV to a file, and DuckDB's COPY of that as Parquet, on one thread, in place of Node";

async function load(throwaway: ThrowawayDatabase, { records, templates }: ExportExtent) {
  const begin = performance.now();
  const urls = await addDatabase(throwaway.database, 'exported');
  const storage = await openStorage(urls.serviceUrl, 4);
  const place = { url: urls.url, storage, bars: join(throwaway.folder, 'bars') };
  const agents = Math.ceil(records / (templates.days * templates.aDay)) + 1;
  const [caller] = await loadHistory(place, { records, templates, agents, ofOne: agents }).finally(() =>
    storage.close(),
  );
  console.log(`${records} records of one owner in ${((performance.now() - begin) / 1_000).toFixed(0)} s`);
  return { served: await serve(throwaway, urls), cookie: `sid=${caller?.session}` };
}

interface ExportRequest {
  readonly path: string;
  readonly cookie: string;
  /** Where the reply is written. */
  readonly file: string;
}

/** Microseconds of CPU, bytes, seconds and MiB of the service; of all records. */
interface ExportCost extends CopyCost {
  readonly before: number;
  readonly most: number;
}

async function measure(
  { database }: ThrowawayDatabase,
  { service }: Served,
  wanted: ExportRequest,
): Promise<ExportCost> {
  const before = memoryOf(service.pid);
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, memoryOf(service.pid));
  }, WATCHED);
  const begin = performance.now();
  const [[bytes, postgres], node] = await cpuDuring([service.pid], () =>
    cpuDuring([database.pid], () => download(service.port, wanted)),
  ).finally(() => clearInterval(watch));
  return { node, postgres, bytes, seconds: (performance.now() - begin) / 1_000, before, most };
}

function lineOf(name: string, cost: CopyCost & Partial<ExportCost>, records: number): string {
  const { node, postgres, bytes, seconds, before, most } = cost;
  const cells: readonly (readonly [number | undefined, number])[] = [
    [node / records, 10],
    [postgres / records, 14],
    [bytes / records, 9],
    [seconds, 10],
    [before, 12],
    [most, 13],
  ];
  return `${name.padEnd(6)}${cells.map(([value, width]) => (value?.toFixed(0) ?? '').padStart(width)).join('')}`.trimEnd();
}

const WATCHED = 100;

/** Writes the reply to its file, as fast as it comes. Returns its size in bytes. */
async function download(port: number, { path, cookie, file }: ExportRequest): Promise<number> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get({ port, host: '127.0.0.1', path, headers: { cookie } }, resolve).once('error', reject);
  });
  if (response.statusCode !== 200) throw new Error(`The export was answered ${response.statusCode}.`);
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  await pipeline(response, createWriteStream(file));
  return bytes;
}

/** Resident memory in MiB. */
function memoryOf(pid: number): number {
  const [, kibibytes = 'NaN'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kibibytes) / 1_024;
}

/** An archive with a file beyond 4 GiB, which takes Zip64, as Python reads it. */
async function largeArchive(folder: string, gibibytes: number): Promise<string> {
  const piece = createHash('sha512').update('a line').digest('hex').repeat(8_192);
  const pieces = (gibibytes * 1_024 ** 3) / piece.length;
  async function* lines(): AsyncGenerator<string> {
    for (let each = 0; each < pieces; each += 1) yield piece;
  }
  async function* last(): AsyncGenerator<string> {
    yield 'the end';
  }
  const files = [
    { name: 'large', pieces: lines },
    { name: 'last', pieces: last },
  ];
  const path = join(folder, 'large.zip');
  await pipeline(Readable.from(writeZip(files, new Date())), createWriteStream(path));
  return readByPython(path);
}

/** What Python's zipfile finds in an archive, after it has read each of its files. */
function readByPython(path: string): string {
  const read = execFileSync(PYTHON, ['-c', READ, path], { encoding: 'utf8' });
  return `Python reads in the archive of ${statSync(path).size} bytes: ${read.trim()}`;
}

const READ = `
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as z:
    assert z.testzip() is None
    print(', '.join(f'{i.filename} {i.file_size} bytes' for i in z.infolist()))
`;
