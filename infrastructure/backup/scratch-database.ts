import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { sqlState } from '../../adapters/postgres/kit/sql.ts';
import { connectDatabase } from '../database/connect-database.ts';
import type { OpenedServer } from './open-server.ts';

/**
 * Runs the work on an empty database of the same server, which is dropped afterwards.
 * @throws Error when the role may not create databases
 */
export async function withScratchDatabase<Result>(
  server: OpenedServer,
  work: (scratch: OpenedServer) => Promise<Result>,
): Promise<Result> {
  const name = `stancebook_check_${randomBytes(6).toString('hex')}`;
  const client = await connectDatabase(server.ownerUrl, server.ownerName);
  try {
    await create(client, name);
    try {
      const ownerUrl = withName(server.ownerUrl, name);
      return await work({ ...server, ownerUrl, close: async () => undefined });
    } finally {
      await client.query(`drop database ${name} with (force)`);
    }
  } finally {
    await client.end();
  }
}

const INSUFFICIENT_PRIVILEGE = '42501';

async function create(client: pg.Client, name: string): Promise<void> {
  try {
    await client.query(`create database ${name} template template0 encoding 'UTF8'`);
  } catch (error) {
    if (sqlState(error) !== INSUFFICIENT_PRIVILEGE) throw error;
    throw new Error(
      `The role ${client.user} may not create the scratch database for the check: alter role ${client.user} createdb, or restore the file on another server.`,
    );
  }
}

function withName(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}
