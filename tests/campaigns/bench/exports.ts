import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createWriteStream, readFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { writeZip } from '../../../adapters/formats/zip-archive.ts';
import { EXPORT_FORMATS } from '../../../application/accounts/export-own-data.ts';
import { openStorage } from '../stage/storage.ts';
import { onThrowawayDatabase, type ThrowawayDatabase } from '../stage/throwaway-database.ts';
import { addDatabase } from './added-database.ts';
import { cpuDuring } from './cpu.ts';
import { type Served, serve } from './history/in-turn.ts';
import { loadHistory } from './history/load-history.ts';
import type { TemplateExtent } from './history/templates.ts';

export interface ExportExtent {
  /** Decisions of the one owner. */
  readonly records: number;
  readonly templates: TemplateExtent;
  readonly rounds: number;
  /** The size of the archive that Python reads, in GiB; 0 leaves it out. */
  readonly large: number;
}

/** What exports of all records of an owner cost, and the memory of the service meanwhile; as lines. */
export function benchExports(extent: ExportExtent): Promise<string> {
  return onThrowawayDatabase(async (throwaway) => {
    const { served, cookie } = await load(throwaway, extent);
    const lines = [HEAD];
    for (let round = 0; round < extent.rounds; round += 1) {
      for (const format of EXPORT_FORMATS) {
        const line = await measure(throwaway, served, { path: `${PATH}?format=${format}`, cookie }, extent.records);
        console.log(`${format} ${line}`);
        lines.push(`${format.padEnd(6)}${line}`);
      }
    }
    if (extent.large > 0) lines.push(await largeArchive(throwaway.folder, extent.large));
    return lines.join('\n');
  });
}

const PATH = '/api/v1/owner/export';
const HEAD =
  'format   Node us PostgreSQL us    bytes   seconds  MiB before  MiB at most   (each of a record, but for the last three)';

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
}

async function measure(
  { database }: ThrowawayDatabase,
  { service }: Served,
  wanted: ExportRequest,
  records: number,
): Promise<string> {
  const before = memoryOf(service.pid);
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, memoryOf(service.pid));
  }, WATCHED);
  const begin = performance.now();
  const [[bytes, inPostgres], inOurs] = await cpuDuring([service.pid], () =>
    cpuDuring([database.pid], () => download(service.port, wanted)),
  ).finally(() => clearInterval(watch));
  const seconds = (performance.now() - begin) / 1_000;
  return [
    [inOurs / records, 10],
    [inPostgres / records, 14],
    [bytes / records, 9],
    [seconds, 10],
    [before, 12],
    [most, 13],
  ]
    .map(([value = 0, width = 0]) => value.toFixed(0).padStart(width))
    .join('');
}

const WATCHED = 100;

/** Reads the reply to its end, as fast as it comes. Returns its size in bytes. */
function download(port: number, { path, cookie }: ExportRequest): Promise<number> {
  return new Promise((resolve, reject) => {
    get({ port, host: '127.0.0.1', path, headers: { cookie } }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`The export was answered ${response.statusCode}.`));
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.once('end', () => resolve(bytes)).once('error', reject);
    }).once('error', reject);
  });
}

/** Resident memory in MiB. */
function memoryOf(pid: number): number {
  const [, kibibytes = 'NaN'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kibibytes) / 1_024;
}

/** An archive with a file beyond 4 GiB, which takes Zip64, and what Python's zipfile finds in it. */
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
  const read = execFileSync('python3', ['-c', READ, path], { encoding: 'utf8' });
  return `Python's zipfile reads an archive with a file of ${gibibytes} GiB: ${read.trim()}`;
}

const READ = `
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as z:
    assert z.testzip() is None
    print(', '.join(f'{i.filename} {i.file_size} bytes' for i in z.infolist()))
`;
