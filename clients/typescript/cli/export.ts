import { errorOf, UsageError, unexpectedReply } from '../client/errors.ts';
import { refusalOf } from '../client/refusal.ts';
import { settingsOf } from '../client/settings.ts';
import { connectionOf } from './credentials.ts';
import { openOwnerSession } from './owner-session.ts';
import type { Options } from './usage.ts';

const FORMATS = ['jsonl', 'zip', 'csv', 'parquet'];

/** Writes the account's data to standard output as it comes. @throws Error for a copy that is not whole */
export async function exportAccount(options: Options): Promise<void> {
  const connection = connectionOf(options);
  const { url, fetch } = settingsOf({ ...connection, apiKey: null });
  const { email, format } = options;
  if (format !== undefined && !FORMATS.includes(format)) {
    throw new UsageError(`--format can be ${FORMATS.slice(0, -1).join(', ')} or ${FORMATS.at(-1)}.`);
  }
  const { STANCEBOOK_OWNER_TOKEN: token } = process.env;
  if (email === undefined && !token) throw new UsageError('Give --email EMAIL, or set STANCEBOOK_OWNER_TOKEN.');
  const session = email === undefined ? null : await openOwnerSession(connection, email);
  const headers = session?.headers ?? { authorization: `Bearer ${token}` };
  try {
    const query = format === undefined || format === 'jsonl' ? '' : `?format=${format}`;
    const response = await fetch(`${url}/api/v1/owner/export${query}`, { headers, redirect: 'manual' });
    if (!response.ok || !response.body) throw await refused(response);
    const end = await copied(response.body);
    if (!isWhole(format, end)) throw new Error('The copy is not whole: its end is missing. Export it again.');
  } finally {
    await session?.close();
  }
}

/** By its last line or its last bytes. Those of an archive or of CSV are unknown: there the connection alone shows it. */
function isWhole(format: string | undefined, end: string): boolean {
  if (format === 'zip' || format === 'csv') return true;
  return format === 'parquet' ? end.endsWith('PAR1') : end.includes('"type":"complete"');
}

async function refused(response: Response): Promise<Error> {
  const { status, headers } = response;
  if (status < 400) return unexpectedReply(status, 'The reply is no copy of the account.');
  return errorOf(refusalOf({ status, headers, text: await response.text() }, Date.now()));
}

/** Bytes of the end that are looked at; the last line is shorter. */
const END = 4_096;

/** Copies to standard output, at the speed of its reader. Returns the last line. */
async function copied(body: ReadableStream<Uint8Array>): Promise<string> {
  let end = Buffer.alloc(0);
  for await (const part of body) {
    if (!process.stdout.write(part)) await new Promise((resolve) => process.stdout.once('drain', resolve));
    end = Buffer.concat([end, part]).subarray(-END);
  }
  return end.toString('utf8').trimEnd().split('\n').at(-1) ?? '';
}
