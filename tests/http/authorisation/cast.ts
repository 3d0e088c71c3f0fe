import type { Client } from 'pg';
import { changeRole } from '../../../application/accounts/operators/owner-changes.ts';
import { buildAtlas } from '../../../application/atlas/build-atlas.ts';
import { HOUR } from '../../../domain/time.ts';
import { onPostgres } from '../../contracts/decisions/adapters.ts';
import { COHORTS_AT } from '../../harness/cohorts.ts';
import { type HostileProvider, openHostileProvider, PATHS } from '../../harness/identity/hostile-provider.ts';
import { sequence } from '../../harness/kept-logs.ts';
import { openService, type StorageName } from '../../harness/service.ts';
import { badCredentials } from './bad-credentials.ts';
import { ownedRecords, type Records } from './owned-records.ts';
import { ownedWorkflows, type Workflows } from './owned-workflows.ts';
import { aParty, type Party, type Stage } from './party.ts';
import { type Headers, listen } from './wire.ts';

/** The origin of the pages of the service. */
export const PAGES = 'https://stancebook.test';

/** The service, its callers, and their data. */
export interface Cast extends Stage {
  /** The owner of the data in the matrix. */
  readonly owner: Party;
  /** Another owner, who was an admin earlier. */
  readonly other: Party;
  readonly admin: Party;
  readonly records: Records;
  readonly workflows: Workflows;
  /** Invalid credentials, by name. */
  readonly bad: Readonly<Record<string, Headers>>;
  /** A connection as the owner of the schema, where the storage is a database. */
  readonly database?: Client;
  close(): Promise<void>;
}

/** The whole service on a storage, with a provider that signs whatever the test needs. */
export async function openCast(storage: StorageName, env: NodeJS.ProcessEnv = {}): Promise<Cast> {
  const provider = await openHostileProvider();
  const database = storage === 'postgres' ? await onPostgres(10) : undefined;
  const service = await openService(storage, {
    ...(database && { opened: database }),
    at: COHORTS_AT,
    env: { ...environment(provider), ...env },
    ports: () => ({ mailSender: { send: async () => ({ outcome: 'accepted' }), check: async () => null } }),
  });
  const wire = await listen(service.app);
  const stage = { service, provider, wire, ...(database && { database: database.owner }) };
  const owner = await aParty(stage, 'owner');
  const records = await ownedRecords(stage, owner);
  const workflows = await ownedWorkflows(stage, owner);
  await buildAtlas(service.ports);
  const asleep = await owner.session();
  // Longer than a session may be idle, so that only later sessions are valid.
  await service.arrange.advance(13 * HOUR);
  // The first run imports the submissions, the second appends their outcomes.
  for (let i = 0; i < 2; i += 1) await sequence(service.ports);
  const other = await aParty(stage, 'other');
  const admin = await aParty(stage, 'admin');
  for (const { owner_id } of [admin, admin.account]) await changeRole(service.operators, owner_id, 'admin', 'test');
  for (const role of ['admin', 'owner'] as const) await changeRole(service.operators, other.owner_id, role, 'test');
  const bad = await badCredentials(stage, { owner, asleep });
  return {
    ...stage,
    wire,
    owner,
    other,
    admin,
    records,
    workflows,
    bad,
    async close() {
      await wire.close();
      await Promise.all([service.close(), provider.close()]);
    },
  };
}

function environment({ settings, metadata, answers }: HostileProvider) {
  const device_authorization_endpoint = `${settings.issuer}/device`;
  answers.set(PATHS.discovery, { json: { ...metadata, device_authorization_endpoint } });
  return {
    PUBLIC_URL: PAGES,
    ALLOWED_HOSTS: '127.0.0.1',
    IDP_ISSUER: settings.issuer,
    IDP_CLIENT_ID: settings.clientId,
    IDP_CLIENT_SECRET: settings.clientSecret,
    IDP_AUDIENCE: settings.audience,
    LIMIT_COOLDOWN_SECONDS: '0',
    LIMIT_SUBMITS_PER_HOUR: '1000000',
    LIMIT_AGENT_HOURS_PER_NETWORK: '1000000',
    LIMIT_PUBLICATIONS_PER_DAY: '1000000',
    LIMIT_PUBLISHED_BYTES_PER_DAY: '1000000000',
    LIMIT_ACCEPTANCES_PER_DAY: '1000000',
    LIMIT_ACCOUNT_CHANGES_PER_DAY: '1000000',
    LIMIT_NOTES_PER_DAY: '1000000',
    LIMIT_RETROACTIVE_PER_DAY: '1000000',
  };
}
