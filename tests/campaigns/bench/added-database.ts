import { migrate } from '../../../adapters/postgres/migrations/migrate.ts';
import type { DatabaseUrls } from '../../../infrastructure/embedded-postgres/embedded-postgres.ts';
import { SERVICE_ROLE } from '../../../infrastructure/embedded-postgres/roles.ts';
import { onClient } from '../stage/client.ts';

/** Creates a database of the cluster with the current schema. */
export async function addDatabase({ url, serviceUrl }: DatabaseUrls, name: string): Promise<DatabaseUrls> {
  await onClient(url, (client) => client.query(`create database ${name}`));
  const [own, services] = [url, serviceUrl].map((each) => {
    const named = new URL(each);
    named.pathname = `/${name}`;
    return named.href;
  });
  if (!own || !services) throw new Error('Both databases have a URL.');
  await migrate({ url: own, serviceRole: SERVICE_ROLE });
  return { url: own, serviceUrl: services };
}
