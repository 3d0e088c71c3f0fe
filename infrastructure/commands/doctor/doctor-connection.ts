import type pg from 'pg';
import { connectDatabase, type DatabaseName, DatabaseUnreachable, messageOf } from '../../database/connect-database.ts';
import { type DoctorCheck, failed } from './doctor-check.ts';

/** The findings on one connection, or the reason why there is none. Never throws. */
export async function findingsAt(
  check: string,
  url: string,
  name: DatabaseName,
  findings: (client: pg.Client) => Promise<readonly DoctorCheck[]>,
): Promise<readonly DoctorCheck[]> {
  let client: pg.Client;
  try {
    client = await connectDatabase(url, name);
  } catch (error) {
    if (!(error instanceof DatabaseUnreachable)) throw error;
    return [failed(check, error.fault.found, error.fault.advice)];
  }
  try {
    return await findings(client);
  } catch (error) {
    return [failed(check, messageOf(error), 'Report this message: a query of the check failed.')];
  } finally {
    await client.end();
  }
}
