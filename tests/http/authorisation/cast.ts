import { addAgent } from '../../../application/accounts/keys/add-agent.ts';
import { issueKey } from '../../../application/accounts/keys/issue-key.ts';
import { changeRole } from '../../../application/accounts/operators/change-role.ts';
import { changeTier } from '../../../application/accounts/operators/change-tier.ts';
import { ownerOfIdentity } from '../../../application/accounts/provider/owner-of-identity.ts';
import { beginSession } from '../../../application/accounts/sign-in/begin-session.ts';
import type { PermissionMode } from '../../../domain/caller.ts';
import { HOUR } from '../../../domain/time.ts';
import { COHORTS_AT } from '../../harness/cohorts.ts';
import { type HostileProvider, openHostileProvider, PATHS } from '../../harness/identity/hostile-provider.ts';
import { openService, type StorageName, type TestService } from '../../harness/service.ts';
import { aPasswordOwner } from '../../harness/sessions.ts';
import { badCredentials } from './bad-credentials.ts';
import { ownedRecords, type Records } from './owned-records.ts';
import { ownedWorkflows, type Workflows } from './owned-workflows.ts';
import { type Headers, listen, type Wire } from './wire.ts';

/** Where the pages of the service lie. */
export const PAGES = 'https://stancebook.test';

/** A person with every kind of credential: all but the password account are of one owner. */
export interface Party {
  readonly owner_id: string;
  readonly agent_id: string;
  readonly keys: Readonly<Record<'read_write' | 'read_only' | 'unbound', KeyOf>>;
  readonly bearer: string;
  /** No account has both an identity and a password: this is the one with the password. */
  readonly account: { readonly owner_id: string; readonly email: string };
  /** The id of a new session, of the account with the password or of the other. */
  session(of?: 'password'): Promise<string>;
}

export interface KeyOf {
  readonly api_key: string;
  readonly key_prefix: string;
}

/** The service with those who call it, and what they have. */
export interface Cast {
  readonly service: TestService;
  readonly provider: HostileProvider;
  readonly wire: Wire;
  /** Whose things the matrix is about. */
  readonly owner: Party;
  /** Somebody else, who was an admin once. */
  readonly other: Party;
  readonly admin: Party;
  readonly records: Records;
  readonly workflows: Workflows;
  /** By name; each of them proves nobody. */
  readonly bad: Readonly<Record<string, Headers>>;
  close(): Promise<void>;
}

/** The whole service on a storage, with a provider that signs whatever the test needs. */
export async function openCast(storage: StorageName): Promise<Cast> {
  const provider = await openHostileProvider();
  const service = await openService(storage, { at: COHORTS_AT, env: environment(provider) });
  const wire = await listen(service.app);
  const stage = { service, provider, wire };
  const owner = await aParty(stage, 'owner');
  const records = await ownedRecords(stage, owner);
  const workflows = await ownedWorkflows(stage, owner);
  const asleep = await owner.session();
  // Longer than a session may be idle: what begins from here on is fresh.
  await service.arrange.advance(13 * HOUR);
  const other = await aParty(stage, 'other');
  const admin = await aParty(stage, 'admin');
  for (const { owner_id } of [admin, admin.account]) await changeRole(service.ports, owner_id, 'admin', 'test');
  for (const role of ['admin', 'owner'] as const) await changeRole(service.ports, other.owner_id, role, 'test');
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

export type Stage = Pick<Cast, 'service' | 'provider' | 'wire'>;

function environment({ settings, metadata, answers }: HostileProvider) {
  const device_authorization_endpoint = `${settings.issuer}/device`;
  answers.set(PATHS.discovery, { json: { ...metadata, device_authorization_endpoint } });
  return {
    PUBLIC_URL: PAGES,
    IDP_ISSUER: settings.issuer,
    IDP_CLIENT_ID: settings.clientId,
    IDP_CLIENT_SECRET: settings.clientSecret,
    IDP_AUDIENCE: settings.audience,
    LIMIT_COOLDOWN_SECONDS: '0',
    LIMIT_SUBMITS_PER_HOUR: '1000000',
    LIMIT_RETROACTIVE_PER_DAY: '1000000',
  };
}

/** Somebody whom the provider knows under that name. */
export async function aParty({ service, provider }: Stage, subject: string): Promise<Party> {
  const { ports } = service;
  const identity = { issuer: provider.settings.issuer, subject };
  const { owner_id } = await ownerOfIdentity(ports, identity);
  await changeTier(ports, owner_id, 'pro', 'test');
  const owner = await ownerOfIdentity(ports, identity);
  const created_at = await ports.clock.now();
  const { agent_id } = await addAgent(ports, owner, `The agent of ${subject}`, created_at);
  const key = (permission_mode: PermissionMode, of: string | null = agent_id) =>
    issueKey(ports, owner, { agent_id: of, permission_mode, label: null, created_at });
  const account = await aPasswordOwner(service);
  return {
    owner_id,
    agent_id,
    keys: {
      read_write: await key('read_write'),
      read_only: await key('read_only'),
      unbound: await key('read_write', null),
    },
    bearer: await provider.sign({ sub: subject }),
    account: { owner_id: account.owner_id, email: account.email ?? '' },
    async session(of) {
      const whose = of === 'password' ? await ports.owners.find(account.owner_id) : owner;
      if (!whose) throw new Error(`${subject} is gone.`);
      return (await beginSession(ports, whose, undefined, await ports.clock.now())).session_id;
    },
  };
}
