import { Socket } from 'node:net';
import pg from 'pg';
import { SECOND } from '../../domain/time.ts';
import { errorCode } from '../error-code.ts';
import { StartRefused } from '../start-refused.ts';

/** The variable that contains the URL; `embedded`: the URL of the server that the service starts itself. */
export type DatabaseName = 'DATABASE_URL' | 'MIGRATION_DATABASE_URL' | 'DATABASE_READ_URL' | 'embedded';

/** Why a database cannot be reached, and what the operator can do. Neither text contains a password. */
export interface ConnectionFault {
  readonly found: string;
  readonly advice: string;
}

/** The database cannot be reached, for a reason that the operator can remove. */
export class DatabaseUnreachable extends StartRefused {
  readonly fault: ConnectionFault;

  constructor(fault: ConnectionFault) {
    super(`${fault.found}. ${fault.advice}`);
    this.fault = fault;
  }
}

/** Seconds until a server counts as one that does not answer. */
const PATIENCE = 10;

/** A connection of its own, which the caller ends. @throws DatabaseUnreachable */
export async function connectDatabase(url: string, name: DatabaseName): Promise<pg.Client> {
  const socket = new Socket();
  const client = clientOf(url, name, socket);
  const stop = giveUpLater(socket);
  // A broken connection fails the next query on it; without a listener it would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    throw new DatabaseUnreachable(faultOf(client, name, error));
  } finally {
    stop();
  }
}

/**
 * Ends the connection after `PATIENCE` seconds; what it returns stops that. A second counts when its timer fires: one that
 * loading modules held up for long counts once, because the server may have answered meanwhile.
 * @param second in milliseconds
 */
export function giveUpLater(socket: Socket, second: number = SECOND): () => void {
  let left = PATIENCE;
  const timer = setInterval(() => {
    left -= 1;
    if (left === 0) socket.destroy(new Error('timeout'));
  }, second);
  return () => clearInterval(timer);
}

/** Reads the files that the URL names as certificates. */
function clientOf(url: string, name: DatabaseName, socket: Socket): pg.Client {
  try {
    return new pg.Client({ connectionString: url, stream: () => socket });
  } catch (error) {
    throw new DatabaseUnreachable({ found: `${name} cannot be used: ${messageOf(error)}`, advice: `Correct ${name}.` });
  }
}

function faultOf(client: pg.Client, name: DatabaseName, error: unknown): ConnectionFault {
  const { user = '', database = '' } = client;
  const place = placeOf(client);
  const code = codeOf(error);
  const correct = name === 'embedded' ? 'See postgres.log in DATA_DIR.' : `Correct ${name}.`;
  if (code !== undefined && NO_SERVER.includes(code)) {
    const advice = name === 'embedded' ? correct : `Start the database, or correct ${name}.`;
    return { found: `No PostgreSQL accepts connections at ${place} (${code})`, advice };
  }
  switch (code) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return { found: `The address of the host ${client.host} cannot be found (${code})`, advice: correct };
    case '28P01':
      return { found: `The server at ${place} refused the password of the role ${user}`, advice: ofPassword(name) };
    case '3D000':
      return {
        found: `The server at ${place} has no database ${database}`,
        advice: `Create it (docs/running.md, On your own PostgreSQL), or correct ${name}.`,
      };
    case '53300':
    case '57P03':
      return { found: `The server at ${place} accepts no connection now: ${messageOf(error)}`, advice: 'Try later.' };
    default:
      return otherFault(place, correct, messageOf(error));
  }
}

function ofPassword(name: DatabaseName): string {
  if (name !== 'embedded') return `Correct ${name}.`;
  return (
    'Copy postgres-owner and postgres-service from the newest backup of DATA_DIR/secrets, or stop the service and give ' +
    'the roles new passwords: npm run admin -- renew-secret postgres-owner, then postgres-service.'
  );
}

function otherFault(place: string, advice: string, message: string): ConnectionFault {
  if (/password must be a string/.test(message))
    return { found: `The server at ${place} requires a password, and the URL contains none`, advice };
  if (/timeout/i.test(message)) return { found: `The server at ${place} did not answer within ${PATIENCE} s`, advice };
  return { found: `The server at ${place} refused the connection: ${message.replace(/\.$/, '')}`, advice };
}

const NO_SERVER: readonly string[] = [
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'ECONNRESET',
  'ENOENT',
];

function placeOf({ host, port }: pg.Client): string {
  if (host.startsWith('/')) return host;
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** A host with several addresses fails with one error for each. */
function codeOf(error: unknown): string | undefined {
  return errorCode(error) ?? (error instanceof AggregateError ? codeOf(error.errors[0]) : undefined);
}

export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
